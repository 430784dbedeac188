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
"""A reduction has a name of its own, which only the update reads."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    m = -1.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        part = tl.sum(x * x, axis=0)
        acc += part
        top = tl.max(x, axis=0)
        if start > 8:
            m = tl.maximum(m, top)
    tl.store(Y + row, acc + m)
# shared: run


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
"""A comment behind the start stays with it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0  # in fp32
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x * x, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: starts_in_another_block
"""The accumulator starts before a branch, and keeps the name for the start of the sum."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.full((), 0.0, dtype=tl.float32)
    if N > 20:
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.sum(tl.load(X + row * N + cols, mask=cols < N, other=0.0), axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: starts_with_a_bias
"""What the accumulator starts with is added once."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(X + row * N).to(tl.float32)
    acc = 2 * first
    m = first - 1
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0)
        m = tl.maximum(m, tl.max(x, axis=0))
    tl.store(Y + row, acc + m)
# shared: run


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
"""Two loops in a row are reduced once, after the second."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    half = N // 2
    for start in range(0, half, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.sum(tl.load(X + row * N + cols, mask=cols < half, other=0.0), axis=0)
    for start in range(half, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        acc -= tl.sum(x, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: under_a_condition
"""A sum that only some iterations make, as a number at run time says."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        if start % 32 == 0:
            acc += tl.sum(x, axis=0)
    tl.store(Y + row, acc)
# shared: run


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
"""The compiler unrolls the loop, in which all is fp32."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in tl.static_range(0, 64, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: while_loop
"""A `while` that counts by itself."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = 0
    acc = 0.0
    while start < N:
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0)
        start += BLOCK
    tl.store(Y + row, acc)
# shared: run


# case: wide_counts
"""Booleans as int32 are summed in int32, which they cannot leave, and counted in int64."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    count = tl.zeros((), dtype=tl.int64)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        count += tl.sum((x > 0).to(tl.int32), axis=0)
    tl.store(Y + row, count)
# shared: run
