import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, n)
    return mean, var


# case: added_under_a_flag
# expect: not applied, not-expressible
"""The first loop loads and adds under a condition; nothing may be loaded without it."""


@triton.jit
def kernel(X, MEAN, VAR, N, HAS, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        if HAS > 0:
            total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        if HAS > 0:
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
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
    kernel[(m,)](x, mean, var, n, int(x.shape[0] != 3), BLOCK=16)
    return mean, var


# case: another_min
# expect: not applied, not-expressible
"""`min` is the reduction of triton.language, imported under that name."""

import torch
import triton
from triton.language import load, store, arange, zeros, where, sum, program_id, float32, constexpr, min

@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: constexpr):
    row = program_id(0)
    X += row * N
    total = zeros([BLOCK], dtype=float32)
    for start in range(0, N, BLOCK):
        cols = start + arange(0, BLOCK)
        x = load(X + cols, mask=cols < N, other=0.0).to(float32)
        total += x
    mean = sum(total, axis=0) / N
    sq = zeros([BLOCK], dtype=float32)
    for start in range(0, N, BLOCK):
        cols = start + arange(0, BLOCK)
        x = load(X + cols, mask=cols < N, other=0.0).to(float32)
        d = where(cols < N, x - mean, 0.0)
        sq += d * d
    var = sum(sq, axis=0) / N
    store(MEAN + row, mean)
    store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, n, BLOCK=16)
    return mean, var


# case: constant_bound_later
# expect: not applied, not-expressible
"""The second accumulator's shape is a constant that is bound between the loops."""


@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.full([BLOCK], 0.0, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    ACC: tl.constexpr = tl.float32
    sq = tl.zeros([BLOCK], dtype=ACC)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
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


# case: helper_loads_one_element
# expect: not applied, not-expressible
"""A loop over single elements that a helper loads: with no elements nothing may be loaded."""


@triton.jit
def at(p, i):
    return tl.load(p + i).to(tl.float32)

@triton.jit
def kernel(X, MEAN, VAR, N):
    row = tl.program_id(0)
    X += row * N
    total = 0.0
    for i in range(N):
        x = at(X, i)
        total += x
    mean = total / N
    sq = 0.0
    for i in range(N):
        d = at(X, i) - mean
        sq += d * d
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, sq / N)
# shared: run


# case: linear_bound_again
# expect: not applied, not-expressible
"""A factor has another value where it is added."""


@triton.jit
def kernel(X, P, Loss, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    P += row * stride

    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))

    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)
    lse = largest + tl.log(total)

    loss = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        part = (lse - x) * p
        p = p + 1.0
        loss += tl.sum(part + p, axis=0)
    tl.store(Loss + row, loss)


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss


# case: linear_load_without_name
# expect: not applied, not-expressible
"""What is added loads something itself."""


@triton.jit
def kernel(X, P, Loss, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    P += row * stride

    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))

    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)
    lse = largest + tl.log(total)

    loss = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32), axis=0)
    tl.store(Loss + row, loss)


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss


# case: mask_is_none
# expect: not applied, not-expressible
"""The mask of the load is None."""


@triton.jit
def kernel(X, MEAN, VAR, N):
    row = tl.program_id(0)
    X += row * N
    total = 0.0
    for i in range(N):
        x = tl.load(X + i, mask=None)
        total += x
    mean = total / N
    sq = 0.0
    for i in range(N):
        d = tl.load(X + i, mask=None) - mean
        sq += d * d
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, sq / N)
# shared: run


# case: residual_by_a_value
# expect: not applied, not-expressible
"""The flag is a value at run time: the first tile would need a branch of its own."""


@triton.jit
def kernel(X, R, Y, N, HAS_RESIDUAL, BLOCK: tl.constexpr):
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
    kernel[(m,)](x, r, y, n, 1, BLOCK=16)
    return y


# case: single_elements
# expect: not applied, not-expressible
"""A loop over single elements: one element is no mean to shift by."""


@triton.jit
def kernel(X, MEAN, VAR, N):
    row = tl.program_id(0)
    X += row * N
    total = 0.0
    for i in range(N):
        x = tl.load(X + i)
        total += x
    mean = total / N
    sq = 0.0
    for i in range(N):
        d = tl.load(X + i) - mean
        sq += d * d
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, sq / N)
# shared: run
