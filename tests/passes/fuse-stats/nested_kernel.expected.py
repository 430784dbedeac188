"""The kernel is defined inside its launcher, with a block size it closes over and two more levels
of indentation than usual. Another function of the file stands after it."""

import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def row_variance(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 2:

        @triton.jit
        def kernel(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
            row = tl.program_id(0)
            acc = tl.zeros([BLOCK], dtype=tl.float32)
            # Deviations from the mean of the first tile, so that no digits cancel.
            first_cols = tl.arange(0, BLOCK)
            first_tile = tl.load(x_ptr + row * stride + first_cols, mask=first_cols < n, other=0.0)
            shift = tl.sum(first_tile.to(tl.float32), axis=0) / tl.maximum(tl.minimum(n, BLOCK), 1)
            squares = tl.zeros([BLOCK], dtype=tl.float32)
            shifted = tl.zeros([BLOCK], dtype=tl.float32)
            for start in range(0, n, BLOCK):
                cols = start + tl.arange(0, BLOCK)
                tile = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0)
                acc += tile
                deviation = tl.where(cols < n, tile - shift, 0.0)
                shifted += deviation
                squares += deviation * deviation
            mean = tl.sum(acc, axis=0) / n
            shifted_sum = tl.sum(shifted, axis=0)
            m2 = tl.sum(squares, axis=0) - shifted_sum * (shifted_sum / n)
            m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
            tl.store(out_ptr + row, m2 / n)

    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out


def describe() -> str:
    return "the variance of each row"
