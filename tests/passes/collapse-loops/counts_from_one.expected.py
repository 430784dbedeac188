"""A loop between others counts from 1, so its number of turns has parentheses."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, H, W, stride_n, stride_h, BLOCK: tl.constexpr):
    FLAT_BLOCK: tl.constexpr = 1024
    total = 0.0
    for start in range(0, N * (H - 1) * W, FLAT_BLOCK):
        place = start + tl.arange(0, FLAT_BLOCK)
        n = place // ((H - 1) * W)
        h = 1 + place // W % (H - 1)
        w = place % W
        offsets = n * stride_n + h * stride_h + w
        x = tl.load(X + offsets, mask=place < N * (H - 1) * W, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
    tl.store(Y, total)


# tritonopt: x: f32[n, h, w]
def run(x: torch.Tensor):
    n, h, w = x.shape
    x = x.contiguous()
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, n, h, w, x.stride(0), x.stride(1), BLOCK=16)
    return y
