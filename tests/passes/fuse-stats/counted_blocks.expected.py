"""The loops count blocks, `range(tl.cdiv(N, BLOCK))`, and form the offset from the counter."""

import torch
import triton
import triton.language as tl


@triton.jit
def _row_moments(x_ptr, mean_ptr, m2_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_row = x_ptr + row * x_stride
    arange = tl.arange(0, BLOCK)

    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_offs = arange
    first_tile = tl.load(x_row + first_offs, mask=first_offs < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_tile, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    m2 = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(tl.cdiv(N, BLOCK)):
        offs = i * BLOCK + arange
        tile = tl.load(x_row + offs, mask=offs < N, other=0.0).to(tl.float32)
        acc += tile
        deviation = tl.where(offs < N, tile - shift, 0.0)
        shifted += deviation
        m2 += deviation * deviation
    mean = tl.sum(acc, axis=0) / N

    shifted_sum = tl.sum(shifted, axis=0)
    squared_deviations = tl.sum(m2, axis=0) - shifted_sum * (shifted_sum / tl.maximum(N, 1))
    squared_deviations = tl.where(squared_deviations < 0.0, 0.0, squared_deviations)  # rounding may take it just below zero

    tl.store(mean_ptr + row, mean)
    tl.store(m2_ptr + row, squared_deviations)


# tritonopt: x: f32[m, n]
def row_moments(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    m2 = torch.empty(m, device=x.device)
    _row_moments[(m,)](x, mean, m2, x.stride(0), n, BLOCK=64)
    return mean, m2
