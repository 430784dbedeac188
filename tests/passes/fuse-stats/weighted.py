import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n], weight: f32[n]
def var_mean(x: torch.Tensor, weight: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, weight, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: fma_by_keywords
# like: large_values
# expect: not applied, different-elements
"""A product and a sum by keywords, in another order than the parameters."""
#         x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.where(cols < N, tl.fma(x, 2.0, 3.0), 0.0)
#         x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.fma(z=x, x=2.0, y=3.0)


# case: weighted_by_a_constant
# like: count_of_one_block
# expect: not applied, different-elements
"""Every square counts half, a scale folded into the sweep."""
#-    mean = total / BLOCK
#+    mean = total / n_cols
#-        squares += tl.sum(tl.where(mask, diff * diff, 0.0))
#+        squares += tl.sum(tl.where(mask, 0.5 * diff * diff, 0.0))


# case: weighted_by_a_row
# expect: not applied, different-elements
"""The squared deviations carry weights that are loaded with them."""


@triton.jit
def kernel(X, Weight, Mean, Var, stride, N, BLOCK: tl.constexpr):
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
        w = tl.load(Weight + cols, mask=cols < N, other=0.0)
        acc2 += w * d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: weighted_by_integers
# like: weighted_variance
# expect: not applied, center-is-not-the-mean
"""Counts of how often each element occurs, most of which may be 0."""
#-        w = tl.load(Weight + cols, mask=cols < N, other=0.0)
#+        w = tl.load(Weight + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        w = tl.load(Weight + cols, mask=cols < N, other=0.0)
#+        w = tl.load(Weight + cols, mask=cols < N, other=0.0).to(tl.float32)
#-# tritonopt: x: f32[m, n], weight: f32[n]
#+# tritonopt: x: f32[m, n], weight: i32[n]


# case: weighted_by_position
# like: absolute_deviation
# expect: not applied, different-elements
"""The deviations count less the further out they are, `d * d / (1 + cols)`."""
#-        acc2 += tl.abs(d)
#+        acc2 += d * d / (1.0 + cols)


# case: weighted_once
# like: weighted_variance
# expect: not applied, different-elements
"""Weights of the squares alone: the first sweep adds them up, and the plain elements."""
#-        acc += w * x
#+        acc += x
#-    mean = tl.sum(acc, axis=0) / total
#+    mean = tl.sum(acc, axis=0) / N


# case: weighted_variance
# expect: not applied, center-is-not-the-mean
"""A weighted variance around the weighted mean: weights may be 0 where the shift is taken."""


@triton.jit
def kernel(X, Weight, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    weights = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        w = tl.load(Weight + cols, mask=cols < N, other=0.0)
        acc += w * x
        weights += w
    total = tl.sum(weights, axis=0)
    mean = tl.sum(acc, axis=0) / total
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        w = tl.load(Weight + cols, mask=cols < N, other=0.0)
        acc2 += w * (x - mean) * (x - mean)
    var = tl.sum(acc2, axis=0) / total
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean
