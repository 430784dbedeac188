"""A helper of the same file loads the tile in both sweeps. The helper is used elsewhere too and
stays as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def load_row(ptr, cols, n):
    return tl.load(ptr + cols, mask=cols < n, other=0.0).to(tl.float32)


@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_tile = load_row(x_ptr, first_cols, n)
    shift = tl.sum(first_tile, axis=0) / tl.maximum(tl.minimum(n, BLOCK), 1)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        tile = load_row(x_ptr, cols, n)
        acc += tile
        deviation = tl.where(cols < n, tile - shift, 0.0)
        shifted += deviation
        acc2 += deviation * deviation
    mean = tl.sum(acc, axis=0) / n
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(acc2, axis=0) - shifted_sum * (shifted_sum / n)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    rstd = 1.0 / tl.sqrt(m2 / n + eps)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        y = (load_row(x_ptr, cols, n) - mean) * rstd
        tl.store(y_ptr + cols, y, mask=cols < n)


# tritonopt: x: f32[m, n]
def layer_norm(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    layer_norm_kernel[(x.shape[0],)](x, y, x.stride(0), x.shape[1], 1e-5, BLOCK=64)
    return y
