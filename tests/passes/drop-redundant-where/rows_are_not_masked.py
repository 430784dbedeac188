# expect: missed different-mask
"""The weights are masked along the columns only: in a row past the end they are not 0, and 0 * inf
is NaN."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, OUT, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
    value = tl.where(mask, x * w[None, :], 0.0)
    tl.store(OUT + cols, tl.sum(value, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(n, device=x.device)
    kernel[(1,)](x, w, out, m, n, ROWS=triton.next_power_of_2(m), BLOCK=triton.next_power_of_2(n))
    return out
