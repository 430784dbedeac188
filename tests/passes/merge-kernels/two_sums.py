# verify: always
"""Two sums of columns, through a pointer that moves and one that has a name."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, DW, DB, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    DW += row * N
    tl.store(DW + cols, x * x, mask=mask)
    db_ptr = DB + row * N + cols
    tl.store(db_ptr, x, mask)


@triton.jit
def final(P, Q, Y, Z, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    one = tl.zeros([ROWS, COLS], dtype=tl.float32)
    two = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        offsets = rows[:, None] * N + cols[None, :]
        one += tl.load(P + offsets, mask=mask, other=0.0)
        two += tl.load(Q + offsets, mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(one, axis=0).to(Y.dtype.element_ty), mask=cols < N)
    tl.store(Z + cols, tl.sum(two, axis=0).to(Z.dtype.element_ty), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    q = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    z = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, q, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    grid = (triton.cdiv(n, 16),)
    # Add up the rows.
    final[grid](p, q, y, z, m, n, ROWS=8, COLS=16)
    return y, z
