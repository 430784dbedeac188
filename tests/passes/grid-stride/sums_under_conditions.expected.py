# options: programs=2
"""Sums in branches that the compiler decides, relaxed, and of blocks with two axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def gradients_kernel(
    DY, DW, DB, DS, M, N, HAS_BIAS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, NUM_TILES=None
):
    cols = tl.arange(0, BLOCK)
    places = tl.arange(0, ROWS)[:, None] * N + cols[None, :]
    dw_sum = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    if HAS_BIAS:
        db_sum = tl.zeros([BLOCK], dtype=tl.float32)
        db_sum_2 = tl.zeros([BLOCK], dtype=tl.float32)
    if DS is not None:
        ds_sum = 0.0
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        rows = pid * ROWS + tl.arange(0, ROWS)
        inside = (rows[:, None] < M) & (cols[None, :] < N)
        dy = tl.load(DY + rows[:, None] * N + cols[None, :], mask=inside, other=0.0)
        folded = tl.sum(dy, axis=0)
        dw_sum += dy.to(tl.float32)
        if HAS_BIAS:
            # Twice, for the bias and for its double.
            db_sum += folded.to(tl.float32)
            db_sum_2 += (folded * 2).to(tl.float32)
        if DS is not None:
            ds_sum += tl.cast(tl.sum(folded, axis=0) / 2, tl.float32)
    tl.atomic_add(DW + places, dw_sum, mask=cols[None, :] < N, sem="relaxed")
    if HAS_BIAS:
        tl.atomic_add(DB + cols, db_sum, mask=cols < N, sem="relaxed")
        tl.atomic_add(DB + N + cols, db_sum_2, mask=cols < N, sem="relaxed")
    if DS is not None:
        tl.atomic_add(DS, ds_sum)


# tritonopt: dy: f32[m, n]
def gradients(dy: torch.Tensor):
    dy = dy.contiguous()
    m, n = dy.shape
    dw = torch.zeros((4, n), device=dy.device, dtype=torch.float32)
    db = torch.zeros((2, n), device=dy.device, dtype=torch.float32)
    ds = torch.zeros(1, device=dy.device, dtype=torch.float32)
    block = triton.next_power_of_2(n)
    num_tiles = triton.cdiv(m, 4)
    gradients_kernel[(min(num_tiles, 2),)](
        dy, dw, db, ds, m, n, HAS_BIAS=True, ROWS=4, BLOCK=block, NUM_TILES=num_tiles
    )
    return dw, db, ds
