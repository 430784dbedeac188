import torch
import triton
import triton.language as tl


# case: documented
# like: filled_with_the_length
# options: longest=16,block=16
"""What is said of the kernel stays with the first one."""
# def kernel(X, Y, N, BLOCK: tl.constexpr):
#+    """Rows of length one.
#+
#+    In fp32.
#+    """
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    y = x / tl.sqrt(tl.sum(x * x, axis=0))  # never by 0 in our data


# case: gradients
# options: longest=16,block=16
"""Atomic additions to the gradients of columns."""


@triton.jit
def kernel(X, Y, G, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    total = tl.sum(x, axis=0) / N
    tl.store(Y + row, total)
    tl.atomic_add(G + cols, x - total, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    g = torch.zeros(n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, g, n, BLOCK=triton.next_power_of_2(n))
    return y, g


# case: helper_of_lanes
# like: filled_with_the_length
# options: longest=16,block=16
"""A helper computes lane by lane."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def gate(x, limit):
#+    return x * tl.sigmoid(x) - limit
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#-    tl.store(Y + row * N + cols, y, mask=mask)
#+    y = tl.where(mask, gate(x, 2.0), 0.0)
#+    x = y / tl.sum(y * y, axis=0)
#+    tl.store(Y + row * N + cols, x, mask=mask)


# case: hint_where_made
# like: sums_alone
# options: longest=16,block=16
"""What is said of the lanes stays with them: the columns are counted from the tile's begin."""
#-    cols = tl.arange(0, BLOCK)
#+    cols = tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    tl.store(Y + row * N + cols, x / tl.sum(x, axis=0), mask=mask)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty((m, n), dtype=torch.float32, device=x.device)


# case: in_place
# options: longest=16,block=16
"""Each element is stored where it was loaded."""


@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-5)
    tl.store(X + row * N + cols, x * rstd, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    kernel[(m,)](x, n, BLOCK=triton.next_power_of_2(n))
    return x


# case: launcher_raises
# like: filled_with_the_length
# options: longest=16,block=16
"""Rows that no tile holds are turned away before."""
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    y = x - tl.sum(x, axis=0) / N
#-    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
#+    block = min(4096, triton.next_power_of_2(n))
#+    if n > block:
#+        raise ValueError("a row has at most 4096 elements")
#+    kernel[(m,)](x, y, n, BLOCK=block)


# case: layer_norm
# like: filled_with_the_length
# options: longest=16,block=16
"""Mean, then variance, then the row: three loops."""
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    mean = tl.sum(x, axis=0) / N
#+    d = tl.where(mask, x - mean, 0.0)
#+    # The biased variance.
#+    var = tl.sum(d * d, axis=0) / N
#+    y = d / tl.sqrt(var + 1e-5)


# case: least_and_largest
# like: sums_alone
# options: longest=16,block=16
"""Both extremes in one loop: exact, but for rows of NaN."""
#-    mask = cols < N
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    low = tl.load(X + row * N + cols, mask=cols < N, other=float("inf")).to(tl.float32)
#+    high = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
#+    tl.store(Y + row, tl.max(high, axis=0) - tl.min(low, axis=0))


# case: length_has_a_name
# like: filled_with_the_length
# options: longest=16,block=16
"""The launcher names the tile, and computes its warps from it."""
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    y = x / (1.0 + tl.sum(x * x, axis=0))
#-    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
#+    block = max(16, triton.next_power_of_2(n))
#+    warps = 8 if block > 2048 else 4
#+    kernel[(m,)](
#+        x, y, n,
#+        BLOCK=block,
#+        num_warps=warps,
#+    )  # fmt: skip


# case: length_of_64_bits
# options: longest=16,block=16
"""A length of 64 bits does not widen the places in the row, which may wrap around."""


@triton.jit
def kernel(X, Y, N: tl.int64, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    total = tl.sum(x, axis=0)
    tl.store(Y + row * N + cols, x * total * (cols + 2147483647), mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: logarithm_of_a_sum
# like: sums_alone
# options: longest=16,block=16
"""A reduction within another one."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
#+    top = tl.sum(tl.exp(x - tl.max(x, axis=0)), axis=0)
#+    tl.store(Y + row, tl.log(top))


# case: name_bound_twice
# like: filled_with_the_length
# options: longest=16,block=16
"""A tile has one name before and after it is changed."""
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    x = x * 2.0
#+    x += 1.0
#+    x = tl.where(mask, x, 0.0)
#+    y = x / tl.sum(x * x, axis=0)


# case: offsets_of_a_row
# options: longest=16,block=16
"""The offsets are those of the row, and each other element is read."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    place = row * N * 2 + 2 * tl.arange(0, BLOCK)
    x = tl.load(X + place, mask=lane < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, 2*k]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n // 2, BLOCK=triton.next_power_of_2(n // 2))
    return y


# case: positive_ones
# like: sums_alone
# options: longest=16,block=16
"""A number of elements."""
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    tl.store(Y + row, tl.sum((x > 0).to(tl.int32), axis=0))
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty(m, dtype=torch.int32, device=x.device)


# case: product_with_the_mean
# options: longest=16,block=16
"""Of a difference from the mean, which is a number, times what is 0 behind the row, 0 is left."""


@triton.jit
def kernel(X, DY, DX, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    product = tl.sum(dy * (x - mean) * (row + 1), axis=0)
    tl.store(DX + row * stride + cols, dy - product / N, mask=cols < N)


# tritonopt: x: f32[m, n], dy: f32[m, n]
def run(x: torch.Tensor, dy: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    dy = dy.contiguous()
    dx = torch.empty_like(x)
    kernel[(m,)](x, dy, dx, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx


# case: rows_that_are_left_out
# options: longest=16,block=16
"""A program without a row leaves at once."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= M:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols, x / tl.sum(x * x, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m + 1,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: said_above_the_launch
# like: softmax
# options: longest=16,block=16
"""What is said above the launch is said above the question."""
#     y = torch.empty_like(x)
#+    # One program for each row.


# case: scaled_exponentials
# like: sums_alone
# options: longest=16,block=16
"""Exponentials to the base of two, of what is below the maximum."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
#+    e = tl.exp2((x - tl.max(x, axis=0)) * 1.44269504)
#+    tl.store(Y + row, tl.sum(e, axis=0))


# case: softmax
# options: longest=16,block=16
"""The maximum and the sum stand in the middle of what is done to tiles."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: sums_alone
# options: longest=16,block=16
"""Nothing is stored but numbers."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: two_sums_at_once
# like: filled_with_the_length
# options: longest=16,block=16
"""Two sums of one loop, the second of which needs nothing of the first."""
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    total = tl.sum(x, axis=0)
#+    squares = tl.sum(x * x, axis=0)
#+    y = (x - total / N) * squares


# case: weights_of_columns
# options: longest=16,block=16
"""A weight and a bias of each column, where there are any."""


@triton.jit
def kernel(X, W, Y, N, HAS_WEIGHT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-5)
    y = x * rstd
    if HAS_WEIGHT:
        # One for each column.
        y = y * tl.load(W + cols, mask=mask, other=0.0)
    tl.store(Y + row * N + cols, y, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n], weighted: bool
def run(x: torch.Tensor, w: torch.Tensor, weighted: bool):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, w, y, n, HAS_WEIGHT=weighted, BLOCK=triton.next_power_of_2(n))
    return y
