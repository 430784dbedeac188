"""Programs past the last row return at once, before anything is read. A return that dominates
both sweeps is no early exit between them."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= M:
        return
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_tile = tl.load(x_ptr + row * N + first_cols, mask=first_cols < N, other=0.0)
    shift = tl.sum(first_tile.to(tl.float32), axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        tile = tl.load(x_ptr + row * N + cols, mask=cols < N, other=0.0)
        acc += tile
        deviation = tl.where(cols < N, tile - shift, 0.0)
        shifted += deviation
        acc2 += deviation * deviation
    mean = tl.sum(acc, axis=0) / N
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(acc2, axis=0) - shifted_sum * (shifted_sum / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    tl.store(out_ptr + row, m2 / N)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    var_kernel[(m + 3,)](x, out, m, n, BLOCK=64)
    return out
