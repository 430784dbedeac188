# verify: always
"""What is stored depends on the element that is loaded at the same offset."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, H, W, stride_n, stride_c, stride_h, BLOCK: tl.constexpr):
    FLAT_BLOCK: tl.constexpr = 1024
    c = tl.program_id(0)
    for start in range(0, N * H * W, FLAT_BLOCK):
        place = start + tl.arange(0, FLAT_BLOCK)
        n = place // (H * W)
        h = place // W % H
        w = place % W
        offsets = c * stride_c + n * stride_n + h * stride_h + w
        x = tl.load(X + offsets, mask=place < N * H * W)
        tl.store(Y + offsets, x * x + 1.0, mask=place < N * H * W)


# tritonopt: x: f32[n, c, h, w]
def run(x: torch.Tensor):
    n, c, h, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(c,)](x, y, n, h, w, x.stride(0), x.stride(1), x.stride(2), BLOCK=16)
    return y
