# verify: always
"""Several rows at once: the mask has a part for the rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, A, Y, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    k = tl.arange(0, BLOCK)
    mask = (rows < m)[:, None] & (k < n)[None, :]
    angle = tl.load(A + rows[:, None] * n + k[None, :], mask=mask, other=0.0)
    at = rows[:, None] * (2 * n) + 2 * k[None, :]
    even = tl.load(X + at, mask=mask, other=0.0)
    odd = tl.load(X + at + 1, mask=mask, other=0.0)
    tl.store(Y + at, even * tl.cos(angle) - odd * tl.sin(angle), mask=mask)
    tl.store(Y + at + 1, even * tl.sin(angle) + odd * tl.cos(angle), mask=mask)


def run(x: torch.Tensor):
    m, n = x.shape[0], min(x.shape[1] // 2, 32)
    x = x[:, : 2 * n].contiguous()
    angles = torch.linspace(0.0, 1.0, m * n, device=x.device).view(m, n)
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 4),)](x, angles, y, m, n, ROWS=4, BLOCK=32)
    return y
