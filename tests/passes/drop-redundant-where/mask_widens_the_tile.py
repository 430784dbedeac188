# expect: missed shape-changes
"""The condition is 2-D and the value a row of it: without the `tl.where` it would stay a row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, OUT, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols[None, :], mask=cols[None, :] < N, other=0.0).to(tl.float32)
    same = (cols[None, :] < N) | (rows[:, None] < 0)
    value = tl.where(same, x * x, 0.0)
    tl.store(OUT, tl.sum(tl.sum(value, axis=1), axis=0))


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    n = x.numel()
    out = torch.empty(1, device=x.device)
    kernel[(1,)](x, out, 4, n, ROWS=4, BLOCK=triton.next_power_of_2(n))
    return out
