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
    pairs = tl.arange(0, 2 * BLOCK)
    pairs_mask = (rows < m)[:, None] & (pairs[None, :] < 2 * n)
    even_odd = tl.load(
        X + rows[:, None] * (2 * n) + pairs[None, :], mask=pairs_mask, other=0.0
    )
    even, odd = tl.split(tl.reshape(even_odd, (ROWS, BLOCK, 2)))
    even_2 = even * tl.cos(angle) - odd * tl.sin(angle)
    odd_2 = even * tl.sin(angle) + odd * tl.cos(angle)
    tl.store(
        Y + rows[:, None] * (2 * n) + pairs[None, :],
        tl.interleave(even_2, odd_2),
        mask=pairs_mask,
    )


def run(x: torch.Tensor):
    m, n = x.shape[0], min(x.shape[1] // 2, 32)
    x = x[:, : 2 * n].contiguous()
    angles = torch.linspace(0.0, 1.0, m * n, device=x.device).view(m, n)
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 4),)](x, angles, y, m, n, ROWS=4, BLOCK=32)
    return y
