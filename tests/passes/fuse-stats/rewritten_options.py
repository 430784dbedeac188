import torch
import triton
import triton.language as tl


# case: formula_moments
# verify: counterexample, it loses digits when the mean is large
# options: formula=moments
"""The textbook formula on request: the sums of x and of x * x in one sweep, from which
E[x^2] - mean^2. It loses digits when the mean is large against the deviation, which the remark says."""


@triton.jit
def var_kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
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
        acc2 += d * d
    tl.store(Mean + row, mean)
    tl.store(Var + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    var_kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: formula_moments_scalars
# verify: counterexample, it loses digits when the mean is large
# options: formula=moments
"""The textbook formula with scalar accumulators in nested loops."""


@triton.jit
def channel_var(x_ptr, out_ptr, N, C, S, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = 0.0
    for n in range(N):
        for start in range(0, S, BLOCK):
            s = start + tl.arange(0, BLOCK)
            total += tl.sum(tl.load(x_ptr + (n * C + c) * S + s, mask=s < S, other=0.0))
    mean = total / (N * S)
    squares = 0.0
    for n in range(N):
        for start in range(0, S, BLOCK):
            s = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + (n * C + c) * S + s, mask=s < S, other=0.0)
            d = tl.where(s < S, x - mean, 0.0)
            squares += tl.sum(d * d)
    tl.store(out_ptr + c, squares / (N * S))


# tritonopt: x: f32[3, 2, s]
def var(x: torch.Tensor):
    n, c, s = x.shape
    x = x.contiguous()
    out = torch.empty(c, device=x.device)
    channel_var[(c,)](x, out, n, c, s, BLOCK=32)
    return out


# case: linear_moments
# like: linear_entropy
# options: formula=moments
# verify: no, all digits are lost where the elements are large and alike, which is not always drawn
"""Digits may cancel, as was asked for."""


# case: residual_in_moments
# verify: counterexample, it loses digits when the mean is large
# options: formula=moments
"""Without a first tile the flag needs no second place."""


@triton.jit
def kernel(X, R, Y, N, HAS_RESIDUAL: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    R += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n], r: f32[m, n]
def run(x, r):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, r, y, n, True, BLOCK=16)
    return y
