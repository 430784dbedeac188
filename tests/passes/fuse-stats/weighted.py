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
# expect: not applied, different-elements
"""A product and a sum by keywords, in another order than the parameters."""


@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, tl.fma(x, 2.0, 3.0), 0.0)
        total += x
    mean = tl.sum(total, axis=0) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.fma(z=x, x=2.0, y=3.0)
        d = tl.where(cols < N, x - mean, 0.0)
        sq += d * d
    var = tl.sum(sq, axis=0) / N
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, n, BLOCK=16)
    return mean, var


# case: weighted_by_a_constant
# expect: not applied, different-elements
"""Every square counts half, a scale folded into the sweep."""


@triton.jit
def row_stats(x_ptr, mean_ptr, var_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
        total += tl.sum(x)
    mean = total / n_cols
    squares = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
        diff = x - mean
        squares += tl.sum(tl.where(mask, 0.5 * diff * diff, 0.0))
    var = squares / n_cols
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, var)


# tritonopt: x: f32[m, n]
def row_var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = x.new_empty(m)
    var = x.new_empty(m)
    row_stats[(m,)](x, mean, var, n, BLOCK=64)
    return var, mean


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
# expect: not applied, center-is-not-the-mean
"""Counts of how often each element occurs, most of which may be 0."""


@triton.jit
def kernel(X, Weight, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    weights = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        w = tl.load(Weight + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += w * x
        weights += w
    total = tl.sum(weights, axis=0)
    mean = tl.sum(acc, axis=0) / total
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        w = tl.load(Weight + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc2 += w * (x - mean) * (x - mean)
    var = tl.sum(acc2, axis=0) / total
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n], weight: i32[n]
def var_mean(x: torch.Tensor, weight: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, weight, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: weighted_by_position
# expect: not applied, different-elements
"""The deviations count less the further out they are, `d * d / (1 + cols)`."""


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
        acc2 += d * d / (1.0 + cols)
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


# case: weighted_once
# expect: not applied, different-elements
"""Weights of the squares alone: the first loop adds them up, and the plain elements."""


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
        acc += x
        weights += w
    total = tl.sum(weights, axis=0)
    mean = tl.sum(acc, axis=0) / N
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
