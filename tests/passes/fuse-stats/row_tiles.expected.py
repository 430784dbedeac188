"""Tiles of [ROWS, BLOCK] with a row mask and a column mask: one mean for each row of the tile.
The center is broadcast with `mean[:, None]`."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_mean_kernel(
    X, Var, Mean, M, N, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    X = X + rows * stride
    row_mask = rows < M

    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK_N)[None, :]
    first_mask = row_mask & (first_cols < N)
    first_tile = tl.load(X + first_cols, first_mask, other=0.0).to(tl.float32)
    shift = tl.sum(first_tile, axis=1)[:, None] / tl.maximum(tl.minimum(N, BLOCK_N), 1)
    acc_sq = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    shifted = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for off in range(0, N, BLOCK_N):
        cols = off + tl.arange(0, BLOCK_N)[None, :]
        mask = row_mask & (cols < N)
        tile = tl.load(X + cols, mask, other=0.0).to(tl.float32)
        acc += tile
        deviation = tl.where(mask, tile - shift, 0.0)
        shifted += deviation
        acc_sq += deviation * deviation
    mean = tl.sum(acc, axis=1) / N
    mean_col = mean[:, None]

    shifted_sum = tl.sum(shifted, axis=1)
    m2 = tl.sum(acc_sq, axis=1) - shifted_sum * (shifted_sum / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    var = m2 / N

    out = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    tl.store(Mean + out, mean, mask=out < M)
    tl.store(Var + out, var, mask=out < M)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    M, N = x.shape
    x = x.contiguous()
    var = torch.empty(M, dtype=x.dtype, device=x.device)
    mean = torch.empty(M, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(M, 4),)
    var_mean_kernel[grid](x, var, mean, M, N, x.stride(0), BLOCK_M=4, BLOCK_N=32)
    return var, mean
