# verify: always
"""The variance divides by N - 1 while the mean divides by N. What the second sweep gives is the
sum of squared deviations; what is done with it afterwards stays as written."""

import torch
import triton
import triton.language as tl


@triton.jit
def unbiased_std(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr = x_ptr + row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(x_ptr + first_cols, mask=first_cols < N, other=0.0)
    shift = tl.sum(first_x.to(tl.float32), axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        acc += x
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += deviation
        sq += deviation * deviation
    mean = tl.sum(acc, axis=0) / N
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(sq, axis=0) - shifted_sum * (shifted_sum / tl.maximum(N, 1))
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    tl.store(out_ptr + row, tl.sqrt(m2 / (N - 1)))


# tritonopt: x: f32[m, n]
def std(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    unbiased_std[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out
