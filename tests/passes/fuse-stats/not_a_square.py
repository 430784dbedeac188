import torch
import triton
import triton.language as tl


# case: absolute_deviation
# expect: not applied, different-elements
"""The mean absolute deviation: no polynomial in x."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += tl.abs(d)
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: clipped_deviation
# like: absolute_deviation
# expect: not applied, different-elements
"""The deviations are clipped before they are squared."""
#-        d = tl.where(cols < N, x - mean, 0.0)
#-        acc2 += tl.abs(d)
#+        d = tl.where(cols < N, tl.minimum(x - mean, 3.0), 0.0)
#+        acc2 += d * d


# case: cubes
# like: absolute_deviation
# expect: not applied, different-elements
"""A third moment needs sums of cubes as well; it is no sum of squares."""
#-        acc2 += tl.abs(d)
#+        acc2 += d * d * d


# case: exponential_of_deviation
# like: count_of_one_block
# expect: not applied, different-elements
"""A soft measure of spread, the sum of exponentials."""
#-    mean = total / BLOCK
#+    mean = total / n_cols
#-        squares += tl.sum(tl.where(mask, diff * diff, 0.0))
#+        squares += tl.sum(tl.where(mask, tl.exp(diff), 0.0))


# case: fourth_powers
# like: absolute_deviation
# expect: not applied, different-elements
"""A fourth moment, written as the square of a square."""
#-        acc2 += tl.abs(d)
#+        d2 = d * d
#+        acc2 += d2 * d2


# case: minimum_by_keyword
# like: large_values
# expect: not applied, different-elements
"""Both sweeps clip, one of them at 10 and the other at 0.5, by keyword."""
#         x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.where(cols < N, tl.minimum(x, y=10.0), 0.0)
#         x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.minimum(x, y=0.5)


# case: less_a_cross_term
# like: absolute_deviation
# expect: not applied, not-a-square
"""Squares of deviations, and something else that the mean goes into."""
#-        acc2 += tl.abs(d)
#+        acc2 += d * d - x * mean
