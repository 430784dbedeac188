"""Both sweeps walk a block of pointers, `ptrs += BLOCK`, and set it back in between; the mask uses
how much of the row is left."""

import torch
import triton
import triton.language as tl


@triton.jit
def bump(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)

    ptrs = x_ptr + row * stride + lane
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_tile = tl.load(ptrs, mask=lane < n, other=0.0)
    shift = tl.sum(first_tile.to(tl.float32), axis=0) / tl.maximum(tl.minimum(n, BLOCK), 1)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(0, n, BLOCK):
        tile = tl.load(ptrs, mask=lane < n - k, other=0.0)
        acc += tile
        deviation = tl.where(lane < n - k, tile - shift, 0.0)
        shifted += deviation
        acc2 += deviation * deviation
        ptrs += BLOCK
    mean = tl.sum(acc, axis=0) / n

    ptrs = x_ptr + row * stride + lane
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(acc2, axis=0) - shifted_sum * (shifted_sum / n)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    tl.store(out_ptr + row, m2 / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    bump[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out
