import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: products
"""A product, by a function of the kernel that multiplies."""


@triton.jit
def times(a, b):
    """The product."""
    return a * b


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 1.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=1.0).to(tl.float32)
        acc *= tl.reduce(x, 0, times)
    tl.store(Y + row, acc)
# shared: run


# case: reductions_with_names
# like: sum_of_squares
"""A reduction has a name of its own, which only the update reads."""
#     acc = 0.0
#+    m = -1.0
#-        acc += tl.sum(x * x, axis=0)
#-    tl.store(Y + row, acc)
#+        part = tl.sum(x * x, axis=0)
#+        acc += part
#+        top = tl.max(x, axis=0)
#+        if start > 8:
#+            m = tl.maximum(m, top)
#+    tl.store(Y + row, acc + m)


# case: several_scopes
"""One sum is stored in every turn of the outer loop, the other one after all."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for turn in range(0, 3):
        # Of this turn alone.
        own = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            own += tl.sum(x * turn, axis=0)
            total += tl.sum(x, axis=0)
        tl.store(Y + row * 4 + turn, own)
    tl.store(Y + row * 4 + 3, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, 4, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: start_with_a_comment
# like: sum_of_squares
"""A comment behind the start stays with it."""
#-    acc = 0.0
#+    acc = 0.0  # in fp32


# case: starts_in_another_block
# like: static_loop_around
"""The accumulator starts before a branch, and keeps the name for the start of the sum."""
#-    acc = 0.0
#-    for turn in tl.static_range(2):
#+    acc = tl.full((), 0.0, dtype=tl.float32)
#+    if N > 20:
#-            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#-            acc += tl.sum(x + turn, axis=0)
#+            acc += tl.sum(tl.load(X + row * N + cols, mask=cols < N, other=0.0), axis=0)


# case: starts_with_a_bias
# like: sum_of_squares
"""What the accumulator starts with is added once."""
#-    acc = 0.0
#+    first = tl.load(X + row * N).to(tl.float32)
#+    acc = 2 * first
#+    m = first - 1
#-        acc += tl.sum(x * x, axis=0)
#-    tl.store(Y + row, acc)
#+        acc += tl.sum(x, axis=0)
#+        m = tl.maximum(m, tl.max(x, axis=0))
#+    tl.store(Y + row, acc + m)


# case: static_loop_around
"""The compiler unrolls the outer loop; the inner one is deferred."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for turn in tl.static_range(2):
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            acc += tl.sum(x + turn, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: sum_of_squares
"""A sum of squares, reduced in every iteration."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x * x, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: two_loops
# like: sum_of_squares
"""Two loops in a row are reduced once, after the second."""
#-    for start in range(0, N, BLOCK):
#+    half = N // 2
#+    for start in range(0, half, BLOCK):
#-        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.sum(tl.load(X + row * N + cols, mask=cols < half, other=0.0), axis=0)
#+    for start in range(half, N, BLOCK):
#+        cols = start + tl.arange(0, BLOCK)
#+        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
#+        acc -= tl.sum(x, axis=0)


# case: under_a_condition
# like: sum_of_squares
"""A sum that only some iterations make, as a number at run time says."""
#-        acc += tl.sum(x * x, axis=0)
#+        if start % 32 == 0:
#+            acc += tl.sum(x, axis=0)


# case: under_a_flag
"""Sums in both branches of what the compiler decides."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        if W is not None:
            w = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
            acc += tl.sum(x * w, axis=0)
        else:
            acc += tl.sum(x, axis=0)
    tl.store(Y + 2 * row, acc)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty(m, 2, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, w, y, n, BLOCK=16)
    kernel[(m,)](x, None, y[:, 1:], n, BLOCK=16)
    return y


# case: unrolled_in_fp32
# like: sum_of_squares
"""The compiler unrolls the loop, in which all is fp32."""
#-    for start in range(0, N, BLOCK):
#+    for start in tl.static_range(0, 64, BLOCK):
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.sum(x, axis=0)


# case: while_loop
# like: sum_of_squares
"""A `while` that counts by itself."""
#     row = tl.program_id(0)
#+    start = 0
#-    for start in range(0, N, BLOCK):
#+    while start < N:
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.sum(x, axis=0)
#+        start += BLOCK


# case: wide_counts
# like: sum_of_squares
"""Booleans as int32 are summed in int32, which they cannot leave, and counted in int64."""
#-    acc = 0.0
#+    count = tl.zeros((), dtype=tl.int64)
#-        acc += tl.sum(x * x, axis=0)
#-    tl.store(Y + row, acc)
#+        count += tl.sum((x > 0).to(tl.int32), axis=0)
#+    tl.store(Y + row, count)
