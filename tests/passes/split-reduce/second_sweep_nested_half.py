# expect: missed dependence-between-iterations
"""Two channels share a half of what they store."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, W, channels, pixels, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    size = channels * pixels
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * size + offsets, mask=offsets < size, other=0.0).to(tl.float32)
        acc += x * x
    scale = 1 / tl.sqrt(tl.sum(acc, axis=0) / size + 1e-5)
    for channel in range(channels):
        w = tl.load(W + channel)
        for start in range(0, pixels, BLOCK):
            pixel = start + tl.arange(0, BLOCK)
            offsets = row * size + channel * (pixels // 2) + pixel
            x = tl.load(X + offsets, mask=pixel < pixels, other=0.0).to(tl.float32)
            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels)


# tritonopt: x: f32[2, c, n], w: f32[c]
def launch(x: torch.Tensor, w: torch.Tensor):
    m, c, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, w, c, n, BLOCK=16)
    return y
