import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: both_do_more
# expect: not applied, loop-does-more
"""Each of the sweeps does something else too."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    large = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
        large += tl.sum((x > 1.0).to(tl.int32), axis=0)
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
        t += tl.sum(tl.where(cols < N, x, 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s) + t + large)
# shared: run


# case: exponentials_are_read_behind
# expect: not applied, loop-does-more
"""The exponentials of a tile are read once more."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        p = tl.exp(x - m)
        s += tl.sum(p, axis=0)
        t += tl.max(p, axis=0)
    tl.store(Y + row, m + tl.log(s) + t)
# shared: run


# case: exponentials_are_stored
# expect: not applied, loop-does-more
"""The second loop stores the exponentials."""


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        p = tl.exp(x - m)
        s += tl.sum(p, axis=0)
        tl.store(Z + row * N + cols, p, mask=cols < N)
    tl.store(Y + row, s)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    z = torch.empty_like(x)
    kernel[(m,)](x, z, y, n, BLOCK=16)
    return y, z


# case: least_of_the_maximum
# expect: not applied, loop-does-more
"""Beside the sum the maximum limits what another sum adds."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s) + t)
# shared: run


# case: maximum_is_bound_again
# expect: not applied, loop-does-more
"""The name of the maximum is bound again before the second loop."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    top = m
    m = 0.0
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - top), axis=0)
        t += tl.sum(tl.where(cols < N, x, 0.0), axis=0)
    tl.store(Y + row, top + tl.log(s) + t + m)
# shared: run


# case: maximum_is_used_between
# expect: not applied, loop-does-more
"""The second loop does more, and the maximum is needed before it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    half = m * 0.5
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
        t += tl.sum(tl.where(cols < N, x, half), axis=0)
    tl.store(Y + row, m + tl.log(s) + t)
# shared: run


# case: maximum_is_used_twice
# expect: not applied, loop-does-more
"""The second loop needs the maximum for something else, too."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
        t += tl.sum(tl.where(x == m, 1.0, 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s) + t)
# shared: run


# case: sum_is_stored_so_far
# expect: not applied, loop-does-more
"""The sum so far is stored in every iteration."""


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
        tl.store(Z + row * N + start // BLOCK, s)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    z = torch.zeros_like(x)
    kernel[(m,)](x, z, y, n, BLOCK=16)
    return y, z


# case: two_sums
# expect: not applied, loop-does-more
"""Two sums below one maximum."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        p = tl.exp(x - m)
        s += tl.sum(p, axis=0)
        t += tl.sum(p * cols, axis=0)
    tl.store(Y + row, m + tl.log(s) + t)
# shared: run
