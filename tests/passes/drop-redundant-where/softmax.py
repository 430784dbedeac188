# expect: missed value-is-not-known
"""A row of -inf has -inf for its maximum: -inf - -inf is NaN, which the `tl.where` keeps out."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
    value = tl.exp(x - tl.max(x, axis=0))
    value = tl.where(mask, value, 0.0)
    tl.store(OUT + row * N + cols, value, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out
