"""Both sums are scalars, `+= tl.sum(...)` in every iteration. Nothing is left to reduce after
the loops, so the shifted sums may be scalars too."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_variance_kernel(x_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0)
    total = 0.0
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(x_ptr + row * stride + first_cols, mask=first_cols < n_cols, other=0.0)
    shift = tl.sum(first_x.to(tl.float32), axis=0) / tl.maximum(tl.minimum(n_cols, BLOCK), 1)
    total_sq = 0.0
    shifted = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=0.0)
        total += tl.sum(x, axis=0)
        deviation = tl.where(cols < n_cols, x - shift, 0.0)
        shifted += tl.sum(deviation, axis=0)
        total_sq += tl.sum(deviation * deviation, axis=0)
    mean = total / n_cols
    total_sq = total_sq - shifted * (shifted / tl.maximum(n_cols, 1))
    total_sq = tl.where(total_sq < 0.0, 0.0, total_sq)  # rounding may take it just below zero
    tl.store(out_ptr + row, total_sq / n_cols)


def row_variance(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    row_variance_kernel[(m,)](x, out, x.stride(0), n, BLOCK=64)
    return out
