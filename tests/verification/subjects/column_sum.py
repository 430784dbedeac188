"""Sums over the first axis of 2-D tiles, and counts of what is positive."""

import torch
import triton
import triton.language as tl


@triton.jit
def column_kernel(x_ptr, sum_ptr, count_ptr, m, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    total = tl.zeros([ROWS, COLS], dtype=tl.float32)
    count = tl.zeros([COLS], dtype=tl.int32)
    for start in range(0, m, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows[:, None] < m) & (cols[None, :] < n)
        x = tl.load(x_ptr + rows[:, None] * n + cols[None, :], mask=mask, other=0.0)
        total += x
        count += tl.sum((x > 0).to(tl.int32), axis=0)
    tl.store(sum_ptr + cols, tl.sum(total, axis=0), mask=cols < n)
    tl.store(count_ptr + cols, count, mask=cols < n)


def column_sum(x):
    assert x.is_contiguous()
    m, n = x.shape
    total = torch.empty((n,), dtype=torch.float32, device=x.device)
    count = torch.zeros((n,), dtype=torch.int32, device=x.device)
    column_kernel[(triton.cdiv(n, 8),)](x, total, count, m, n, ROWS=4, COLS=8)
    return {"total": total, "count": count}
