# verify: always
"""A helper of the same file centers, masks and squares. Its body is part of the argument; its
call goes with the second sweep."""

import torch
import triton
import triton.language as tl


@triton.jit
def squared_deviation(x, center, mask):
    d = x - center
    return tl.where(mask, d * d, 0.0)


@triton.jit
def var_kernel(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_tile = tl.load(x_ptr + row * stride + first_cols, mask=first_cols < n, other=0.0)
    shift = tl.sum(first_tile.to(tl.float32), axis=0) / tl.maximum(tl.minimum(n, BLOCK), 1)
    acc2 = 0.0
    shifted = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        tile = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0)
        acc += tl.sum(tile, axis=0)
        deviation = tl.where(cols < n, tile - shift, 0.0)
        shifted += tl.sum(deviation, axis=0)
        acc2 += tl.sum(deviation * deviation, axis=0)
    mean = acc / n
    acc2 = acc2 - shifted * (shifted / tl.maximum(n, 1))
    acc2 = tl.where(acc2 < 0.0, 0.0, acc2)  # rounding may take it just below zero
    tl.store(out_ptr + row, acc2 / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    var_kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out
