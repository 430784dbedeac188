# expect: missed type-changes
"""The data are integers by the launch: with 0.0 the product is fp32, and without an integer that overflows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0)
    w = tl.load(W + cols, mask=mask, other=0.0)
    value = tl.where(mask, x * w, 0.0) / 3.0
    tl.store(OUT + row * N + cols, value, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous().to(torch.int32)
    w = w.int()
    out = torch.empty_like(x, dtype=torch.float32)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out
