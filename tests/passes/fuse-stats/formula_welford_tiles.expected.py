# options: formula=welford
"""Welford over [ROWS, BLOCK] tiles: one mean and one sum of squared deviations for each row of the
tile, padding rows included, whose count is 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(X, Var, M, N, stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    ptrs = X + rows[:, None] * stride
    acc = tl.zeros([ROWS], dtype=tl.float32)
    # Each tile is centered on its own mean; differences of means are added separately.
    running_count = tl.zeros([ROWS], dtype=tl.float32)
    running_mean = tl.zeros([ROWS], dtype=tl.float32)
    between_tiles = tl.zeros([ROWS], dtype=tl.float32)
    acc2 = tl.zeros([ROWS], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        tile = tl.load(ptrs + cols[None, :], mask=mask, other=0.0)
        acc += tl.sum(tile, axis=1)
        value = tile.to(tl.float32)
        tile_count = tl.sum(tl.where(mask, tl.zeros_like(value) + 1.0, 0.0), axis=1)
        tile_mean = tl.sum(value, axis=1) / tl.maximum(tile_count, 1.0)
        centered = tl.where(mask, value - tile_mean[:, None], 0.0)
        acc2 += tl.sum(centered * centered, axis=1)
        delta = tile_mean - running_mean
        total_count = running_count + tile_count
        weight = tile_count / tl.maximum(total_count, 1.0)
        between_tiles += delta * weight * (delta * running_count)
        running_mean += delta * weight
        running_count = total_count
    mean = acc / N
    acc2 = acc2 + between_tiles
    tl.store(Var + rows, acc2 / N, mask=rows < M)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    var_kernel[(triton.cdiv(m, 4),)](x, out, m, n, x.stride(0), ROWS=4, BLOCK=32)
    return out
