# verify: only on a GPU, since the interpreter replaces functions in the module triton.language
"""Functions are imported one by one from `triton.language`, some under other names. What the new
statements need may not have been imported."""

import torch
from triton import jit
from triton.language import arange, constexpr, float32, load, program_id, store, where, zeros
from triton.language import sum as reduce_sum


@jit
def variance(x_ptr, out_ptr, n, BLOCK: constexpr):
    row = program_id(0)
    acc = zeros([BLOCK], dtype=float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = arange(0, BLOCK)
    first_tile = load(x_ptr + row * n + first_cols, mask=first_cols < n, other=0.0)
    shift = reduce_sum(first_tile.to(float32), axis=0) / max(min(n, BLOCK), 1)
    acc2 = zeros([BLOCK], dtype=float32)
    shifted = zeros([BLOCK], dtype=float32)
    for start in range(0, n, BLOCK):
        cols = start + arange(0, BLOCK)
        tile = load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        acc += tile
        deviation = where(cols < n, tile - shift, 0.0)
        shifted += deviation
        acc2 += deviation * deviation
    mean = reduce_sum(acc, axis=0) / n
    shifted_sum = reduce_sum(shifted, axis=0)
    m2 = reduce_sum(acc2, axis=0) - shifted_sum * (shifted_sum / n)
    m2 = where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    store(out_ptr + row, m2 / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    variance[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out
