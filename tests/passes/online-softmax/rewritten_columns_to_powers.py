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


# case: columns
"""Down the columns of a matrix."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr, COL_BLOCK: tl.constexpr):
    cols = tl.program_id(0) * COL_BLOCK + tl.arange(0, COL_BLOCK)
    m = tl.full([COL_BLOCK], -float("inf"), dtype=tl.float32)
    for start in tl.range(0, M, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, 0))
    s = tl.zeros([COL_BLOCK], dtype=tl.float32)
    for start in tl.range(0, M, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[None, :]), 0)
    tl.store(Y + cols, m + tl.log(s), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(n, device=x.device)
    kernel[(triton.cdiv(n, 8),)](x, y, m, n, BLOCK=16, COL_BLOCK=8)
    return y


# case: cross_entropy
"""Cross-entropy: the logit of the target is read in between."""


@triton.jit
def kernel(X, Target, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    right = tl.load(X + tl.load(Target + row).to(tl.int64))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s) - right)


# tritonopt: x: f32[m, n], target: i64[m] in 0..n
def run(x: torch.Tensor, target: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, target.contiguous(), y, n, BLOCK=16)
    return y


# case: double_precision
"""Everything in fp64."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    lanes = tl.full([BLOCK], -float("inf"), dtype=tl.float64)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        lanes = tl.maximum(lanes, x)
    m = tl.max(lanes, axis=0)
    s = tl.sum(tl.zeros([BLOCK], dtype=tl.float64), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f64[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float64, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: exponentials_with_a_name
"""The exponentials have a name of their own, and the second loop counts something else."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        x = x * 2.0
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        x = x * 2.0
        d = x - m
        p = tl.exp(d)
        t += tl.sum(tl.where(x > 1.0, 1.0, 0.0), axis=0)
        s += tl.sum(p, axis=0)
    tl.store(Y + row, m + tl.log(s) + t)
# shared: run


# case: first_sweep_does_more
"""The first loop counts something too."""


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
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s) + large)
# shared: run


# case: lanes_of_their_own
"""Each lane has a maximum and a sum of its own: nothing is reduced."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for row in range(M):
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, x)
    s = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(M):
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
        s += tl.exp(x - m)
    tl.store(Y + cols, m + tl.log(s), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(n, device=x.device)
    kernel[(triton.cdiv(n, 16),)](x, y, m, n, BLOCK=16)
    return y


# case: loads_in_the_sum
"""The sum loads by itself, beside a counter."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        m = tl.maximum(m, tl.max(tl.load(X + cols, mask=cols < N, other=-float("inf")), axis=0))
    s = 0.0
    tiles = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        s += tl.sum(tl.exp(tl.load(X + cols, mask=cols < N, other=-float("inf")) - m), axis=0)
        tiles += 1
    tl.store(Y + row, m + tl.log(s) + tiles)
# shared: run


# case: loads_without_a_name
"""The tile gets a name."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        m = tl.maximum(m, tl.max(tl.load(X + cols, mask=cols < N, other=-float("inf")), axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        s += tl.sum(tl.exp(tl.load(X + cols, mask=cols < N, other=-float("inf")) - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: log_softmax
"""The logarithm: of a row of -inf it is NaN by itself."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
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
    log_sum = tl.log(s)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        tl.store(Y + cols, x - m - log_sum, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: logsumexp
"""The logarithm of a sum of exponentials."""


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
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: masked_exponents
"""Masked-off lanes have the exponent -inf."""


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
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        d = tl.where(cols < N, x - m, -float("inf"))
        s += tl.sum(tl.exp(d), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: masked_sum
"""Lanes that are masked off are cleared before they are summed."""


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
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.where(cols < N, tl.exp(x - m), 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: masked_sum_over_zeros
"""Masked-off lanes are 0 for the maximum, and cleared for the sum."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        s += tl.sum(tl.where(cols < N, tl.exp(x - m), 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: maxima_under_their_own_name
"""The tile of maxima and the maximum of the row have one name."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(x, m)
    m = tl.max(m, axis=0)
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: maximum_in_the_reduction
"""The old maximum stands in each lane that is reduced."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.max(tl.maximum(x, m), axis=0)
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: maximum_is_stored
"""The maximum is stored, and used, between the loops."""


@triton.jit
def kernel(X, Largest, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    tl.store(Largest + row, m)
    half = m * 0.5
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, half + tl.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    largest = torch.empty(m, device=x.device)
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, largest, y, n, BLOCK=16)
    return largest, y


# case: methods
# verify: no, the interpreter has no such method, and only it tells which lines of a kernel ran
"""The exponential is a method of the difference."""


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
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += (x - m).exp().sum(axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: names_taken
"""The names that the one sweep would have are taken."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    new_m = m * 2.0
    shift = new_m + 1.0
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s) + new_m + shift)
# shared: run


# case: new_maximum_has_a_name
"""The kernel has a name for the new maximum."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        larger = tl.maximum(m, tl.max(x, axis=0))
        m = larger
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: numbered_sweeps
"""What is said of the second loop goes to where its sum starts now."""


@triton.jit
def softmax_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N

    # Pass 1: the maximum
    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x, axis=0))

    # Pass 2: the sum of exponentials
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        total += tl.sum(tl.exp(x - largest), axis=0)

    # Pass 3: the result
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        tl.store(Y + cols, tl.exp(x - largest) / total, mask=cols < N)


# tritonopt: x: f32[m, n]
def softmax(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    softmax_kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: one_by_one
"""A serial loop over single elements."""


@triton.jit
def kernel(X, Y, N):
    row = tl.program_id(0)
    m = -float("inf")
    for i in range(N):
        m = tl.maximum(m, tl.load(X + row * N + i))
    s = 0.0
    for i in range(N):
        s += tl.exp(tl.load(X + row * N + i) - m)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n)
    return y


# case: other_names
# verify: no, the interpreter finds no functions under other names, and only it tells which lines ran
"""Other names for the language and its functions, and methods."""

import torch
import triton
from triton import language as core
from triton.language import maximum as largest

exponential = core.exp


@triton.jit
def kernel(X, Y, N, BLOCK: core.constexpr):
    row = core.program_id(0)
    m = float("-inf")
    for start in range(0, core.cdiv(N, BLOCK)):
        cols = start * BLOCK + core.arange(0, BLOCK)
        x = core.load(X + row * N + cols, cols < N, float("-inf"))
        m = largest(m, x.max(0))
    s = 0.0
    for start in range(0, core.cdiv(N, BLOCK)):
        cols = start * BLOCK + core.arange(0, BLOCK)
        x = core.load(X + row * N + cols, cols < N, float("-inf"))
        s = s + exponential(x - m).sum(0)
    core.store(Y + row, m + core.log(s))
# shared: run


# case: powers_of_scaled_elements
"""Elements and maximum are scaled apart."""

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        s += tl.sum(tl.exp2(x * LOG2E - m * LOG2E), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: powers_of_two
"""Powers of two, of differences times a constant."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    LOG2E: tl.constexpr = 1.4426950408889634
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.math.exp2((x - m) * LOG2E), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run
