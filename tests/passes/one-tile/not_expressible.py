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


# case: comment_behind_a_load
# like: other_elements
# expect: not applied, not-expressible
"""A comment stands behind the load that would go."""
#-        x = tl.load(X + 2 * cols, mask=2 * cols < N, other=0.0).to(tl.float32)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)  # still in L2


# case: counter_beside_a_parameter
# expect: not applied, not-expressible
"""A parameter that is 1 is a number to the compiler, and with the counter added a tensor."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * x, axis=0) * ((N + start - 5) // 3)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * total, mask=cols < N)
# shared: run


# case: counter_is_cast
# expect: not applied, not-expressible
"""The counter is cast, which a number cannot be."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start.to(tl.int64) + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start.to(tl.int64) + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: counter_is_divided
# expect: not applied, not-expressible
"""Compiled, the counter is a tensor, and its quotient is cut toward zero; a number's is Python's."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, WINDOW: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * x, axis=0) * ((start - WINDOW) // 3)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * total + (start - 5) % 3, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n), WINDOW=5)
    return y


# case: counter_is_in_a_nested_loop
# like: counter_beside_a_parameter
# expect: not applied, not-expressible
"""Functions that take tensors alone have the counter, and a loop counts on from it."""
#-        total += tl.sum(x * x, axis=0) * ((N + start - 5) // 3)
#+        total += tl.sum(x * x, axis=0) + tl.sum(tl.broadcast_to(start, [BLOCK]), axis=0)
#+        for more in range(start, 2):
#+            total += more


# case: counter_is_passed_on
# like: counter_is_cast
# expect: not applied, not-expressible
"""A helper takes the counter, and might not take a number."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def columns(start, BLOCK: tl.constexpr):
#+    return start + tl.arange(0, BLOCK)
#-        cols = start.to(tl.int64) + tl.arange(0, BLOCK)
#+        cols = columns(start, BLOCK)
#-        cols = start.to(tl.int64) + tl.arange(0, BLOCK)
#+        cols = columns(start, BLOCK)


# case: counter_of_64_bits
# like: counter_beside_a_parameter
# expect: not applied, not-expressible
"""One bound is of 64 bits, and so is the counter, and what it is added to."""
#     Y += tl.program_id(0) * N
#+    length = tl.cast(N, tl.int64)
#-    for start in range(0, N, BLOCK):
#+    for start in range(0, length, BLOCK):
#-        total += tl.sum(x * x, axis=0) * ((N + start - 5) // 3)
#-    for start in range(0, N, BLOCK):
#+        total += tl.sum(x * x, axis=0) * ((tl.program_id(0) + start) * 65536 * 65536)
#+    for start in range(0, length, BLOCK):


# case: counter_times_a_float
# like: counter_beside_a_parameter
# expect: not applied, not-expressible
"""A counter times a float is a float, and makes one of what it is added to."""
#     Y += tl.program_id(0) * N
#+    row = tl.program_id(0)
#-        total += tl.sum(x * x, axis=0) * ((N + start - 5) // 3)
#+        total += tl.sum(x * x, axis=0) + (row + start * 1.0) * 2000000000
#-        tl.store(Y + cols, x * total, mask=cols < N)
#+        tl.store(Y + cols, x * total * (1 + tl.exp(start * 1.0)), mask=cols < N)


# case: counter_to_a_difference
# expect: not applied, not-expressible
# assume: end - begin <= BLOCK
"""Both ends may have 64 bits where the difference is small, and so has the counter then."""


@triton.jit
def kernel(X, Y, begin, end, stride, BLOCK: tl.constexpr):
    X += tl.program_id(0) * stride
    Y += tl.program_id(0) * stride
    total = 0.0
    for start in range(0, end - begin, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < end - begin, other=0.0).to(tl.float32)
        total += tl.sum(x * x, axis=0)
    for start in range(0, end - begin, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < end - begin, other=0.0).to(tl.float32)
        hashed = (start + tl.arange(0, BLOCK)) * 65536 * 65536
        tl.store(Y + cols, x * total + hashed, mask=cols < end - begin)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    far = 2**40
    kernel[(m,)](x, y, far, far + n, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: counter_wraps
# like: counter_beside_a_parameter
# expect: not applied, not-expressible
"""The counter is of 32 bits, and sums of it wrap around."""
#-        total += tl.sum(x * x, axis=0) * ((N + start - 5) // 3)
#+        total += tl.sum(x * x, axis=0)
#-        tl.store(Y + cols, x * total, mask=cols < N)
#+        tl.store(Y + cols, x * total * (start + 2147483647 + 1), mask=cols < N)
