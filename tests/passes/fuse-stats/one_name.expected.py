"""One name, `acc`, serves for both sums, `x` for everything loaded or derived, and `mean` starts
as a placeholder. Names mean nothing; which definition reaches a use does."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    mean = 0.0
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_x = tl.arange(0, BLOCK)
    first_x_2 = tl.load(X + first_x, mask=first_x < N, other=0.0)
    shift = tl.sum(first_x_2.to(tl.float32), axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    acc_squares = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        x = off + tl.arange(0, BLOCK)
        x = tl.load(X + x, mask=x < N, other=0.0)
        acc += x
        deviation = tl.where(off + tl.arange(0, BLOCK) < N, x - shift, 0.0)
        shifted += deviation
        acc_squares += deviation * deviation
    mean = tl.sum(acc, axis=0) / N
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(acc_squares, axis=0) - shifted_sum * (shifted_sum / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    acc = m2 / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, acc)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
