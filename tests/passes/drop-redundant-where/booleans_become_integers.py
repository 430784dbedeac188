# expect: missed type-changes
"""A tile of booleans becomes int32 by the 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0)
    value = tl.where(mask, x, 0)
    tl.store(OUT + row * N + cols, value, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous().bool()
    out = torch.empty_like(x, dtype=torch.int32)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out
