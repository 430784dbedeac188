import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: filled_with_the_length
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A tile is filled with its own length."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
    tl.store(Y + row * N + cols, y, mask=mask)
# shared: run


# case: helper_reduces
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A helper reduces the tile."""


@triton.jit
def shares(x):
    return x / tl.sum(x, axis=0)


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = shares(x) * tl.sum(x, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)
# shared: run


# case: hint_of_its_own
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A statement says of the columns what is true of those of the first tile alone."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    cols = tl.max_contiguous(tl.multiple_of(cols, 32), 32)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols, x / tl.sum(x, axis=0), mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((m, n), dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: length_of_the_tile
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""The length of the tile goes into the result."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(x, axis=0) / BLOCK)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: own_reduction
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A reduction by a function of the author."""


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(x, axis=0) + tl.reduce(x, 0, product))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: own_reduction_of_a_tile
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""The product of a row, by a function of the author, in what is done to its elements."""


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols, x / (tl.sum(x, axis=0) + tl.reduce(tl.where(mask, x, 1.0), 0, product)), mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((m, n), dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: reduced_in_a_branch
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A tile is reduced where the compiler is asked to."""


@triton.jit
def kernel(X, Y, N, MEAN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    total = 0.0
    if MEAN:
        total = tl.sum(x, axis=0) / N
    tl.store(Y + row * N + cols, x - total, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, MEAN=True, BLOCK=triton.next_power_of_2(n))
    return y


# case: running_sum
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A sum from lane to lane."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.cumsum(x, axis=0) / tl.sum(x * x, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)
# shared: run


# case: sorted
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A row is sorted."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.sort(x) - tl.sum(x, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)
# shared: run
