"""Rows picked by index, as in an embedding; indices may be out of range, and give zeros then."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(table, index, out, picked, rows, n, PICKS: tl.constexpr, BLOCK: tl.constexpr):
    picks = tl.program_id(0) * PICKS + tl.arange(0, PICKS)
    at = tl.load(index + picks, mask=picks < picked, other=-1)
    inside = (at >= 0) & (at < rows)
    cols = tl.arange(0, BLOCK)
    mask = (cols[None, :] < n) & inside[:, None]
    value = tl.load(table + at[:, None] * n + cols[None, :], mask=mask, other=0.0)
    stored = (picks[:, None] < picked) & (cols[None, :] < n)
    tl.store(out + picks[:, None] * n + cols[None, :], value, mask=stored)


# tritonopt: table: f32[r, n], index: i64[m] in -1..4
def gather(table, index):
    rows, n = table.shape
    m = index.numel()
    out = torch.empty((m, n), dtype=table.dtype, device=table.device)
    block = triton.next_power_of_2(n)
    gather_kernel[(triton.cdiv(m, 8),)](table, index, out, m, rows, n, PICKS=8, BLOCK=block)
    return out
