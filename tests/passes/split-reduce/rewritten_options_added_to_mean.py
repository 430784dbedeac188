import torch
import triton
import triton.language as tl


# case: added_behind
# options: turns=1
"""Behind the loop the tile is added to, along an axis that has a name, and then reduced."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N - BLOCK + 1, BLOCK):
        acc += tl.load(X + row * stride + start + lanes).to(tl.float32)
    rest = N - N % BLOCK + lanes
    acc += tl.load(X + row * stride + rest, mask=rest < N, other=0.0).to(tl.float32)
    axis: tl.constexpr = 0
    tl.store(Y + row, tl.sum(acc, axis))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


# case: added_to_what_was
# options: turns=1
"""What is added to is read before the loop: the second kernel reads it, once."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    before = tl.load(Y + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)
    tl.store(Y + row, before + tl.sum(acc, axis=0))


def add_sums(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: chosen_elements
# options: turns=1
"""What comes to a sum under a condition, or a mask, comes to a part of it."""


@triton.jit
def kernel(X, Y, stride, N, limit, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    above = tl.zeros([BLOCK], dtype=tl.float32)
    count = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        above = tl.where(x > limit, above + x, above)
        if start + BLOCK <= N:
            count += (x > limit).to(tl.int32)
    tl.store(Y + row, tl.sum(above, axis=0) + tl.sum(count, axis=0))


def reduced(x: torch.Tensor, limit: float = 0.5):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, limit, BLOCK=64)
    return y


# case: columns_of_tiles
# options: turns=1
"""Sums of columns, as of the gradient of a weight: a tile of two axes."""


@triton.jit
def kernel(DY, DW, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dw = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        dw += tl.load(DY + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
    tl.store(DW + cols, tl.sum(dw, axis=0), mask=cols < N)


def weight_gradient(dy: torch.Tensor):
    dy = dy.float()
    m, n = dy.shape
    dw = torch.empty(n, dtype=torch.float32, device=dy.device)
    kernel[(triton.cdiv(n, 4),)](dy, dw, dy.stride(0), m, n, ROWS=4, BLOCK=4)
    return dw


# case: columns_one_by_one
# options: turns=1
"""A tile that is not reduced: each column has its own sum."""


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(M):
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + cols, total / M, mask=cols < N)


def means_of_columns(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(n, 4),)](x, y, x.stride(0), m, n, BLOCK=4)
    return y


# case: comments
# options: turns=1
"""Comments in the loop, at its end, and behind it."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    # Each program has a row.
    row = tl.program_id(0)  # of X and Y
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # From tile to tile.
    for start in range(0, N, BLOCK):  # BLOCK elements each
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        # What is behind the end of the row adds nothing.
    # The mean.
    tl.store(Y + row, tl.sum(acc, axis=0) / N)  # in fp32
    # Nothing follows.


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: constexpr_before_another
# options: programs=4,turns=1
"""A constexpr stands before parameters that the second kernel takes by their places elsewhere."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, eps, TIMES: tl.constexpr, scale):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    total = tl.sum(acc, axis=0) * scale * TIMES + eps
    tl.store(Y + row, total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](scale=0.5, X=x, Y=y, N=n, BLOCK=16, eps=1e-6, TIMES=2)
    return y


# case: dot_product
# options: turns=1
"""A dot product of two vectors, by a helper."""


@triton.jit
def products(X, Y, cols, n):
    x = tl.load(X + cols, mask=cols < n, other=0.0).to(tl.float32)
    return x * tl.load(Y + cols, mask=cols < n, other=0.0).to(tl.float32)


@triton.jit
def kernel(X, Y, Out, n, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        acc += products(X, Y, start + tl.arange(0, BLOCK), n)
    tl.store(Out, tl.sum(acc, axis=0))


# tritonopt: x: f32[n], y: f32[n]
def dot(x: torch.Tensor, y: torch.Tensor):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(1, dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, out, x.numel(), BLOCK=64)
    return out


# case: grid_by_a_function
# options: turns=1
"""The grid is a function, and a number that the launch leaves out."""


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr = 64):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, N, BLOCK, num_stages=2):
        cols = start + tl.arange(0, BLOCK)
        acc = acc + tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, 0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    grid = lambda META: (m,)
    kernel[grid](x, y, x.stride(0), m, n, num_warps=4)
    return y


# case: grid_of_two_axes
# options: turns=1
"""A grid of two axes gets a third one."""


@triton.jit
def kernel(X, Y, stride_b, stride_m, N, BLOCK: tl.constexpr):
    batch, row = tl.program_id(0), tl.program_id(1)
    X += batch * stride_b + row * stride_m
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + batch * tl.num_programs(1) + row, tl.sum(acc))


def reduced(x: torch.Tensor):
    b, m, n = x.shape
    y = torch.empty(b, m, dtype=torch.float32, device=x.device)
    kernel[(b, m)](x, y, x.stride(0), x.stride(1), n, BLOCK=64)
    return y


# case: grid_with_a_name
# options: turns=1
"""The grid has a name; the loop counts tiles."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, tl.cdiv(N, BLOCK)):
        cols = i * BLOCK + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, axis=0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    grid = (m,)
    kernel[grid](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: in_place
# options: turns=1
"""The result goes to the row itself: no part has stored anything when another one loads."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(X + row * stride)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)
    tl.store(Y + row * stride, first - tl.sum(acc, axis=0) / N)


def center_first(x: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, x, x.stride(0), n, BLOCK=64)
    return x


# case: index_of_the_largest
# like: counted_from_the_end
# options: turns=1
"""The index of the largest element: of several that are equal the first."""
#     row = tl.program_id(0)
#+    acc = tl.zeros([BLOCK], dtype=tl.float32)
#-        best = tl.where(new > top, N - start - place, best)
#+        best = tl.where(new > top, start + place, best)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty(m, dtype=torch.int32, device=x.device)


# case: index_of_the_least
# options: turns=1
"""The least element and where it is, chosen by an `if`."""


@triton.jit
def kernel(X, Y, I, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    low = float("inf")
    best = -1
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=float("inf")).to(tl.float32)
        new = tl.min(x, axis=0)
        place = tl.argmin(x, axis=0)
        if new < low:
            low = new
            best = place + start
    tl.store(Y + row, low)
    tl.store(I + row, best)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    i = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, i, x.stride(0), n, BLOCK=64)
    return y, i


# case: integers
# options: turns=1
"""Sums of integers wrap around alike in any order: exact."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0)
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: i32[m, n] in -1000..1000
def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: largest_and_least
# like: exact_bits
# options: turns=1
"""Two accumulators with operations of their own; numbers, not tiles."""
#-    acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    top = -float("inf")
#+    low = float("inf")
#-        acc += x
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+        top = tl.maximum(top, tl.max(tl.where(cols < N, x, -float("inf")), axis=0))
#+        low = tl.minimum(low, tl.min(tl.where(cols < N, x, float("inf")), axis=0))
#+    tl.store(Y + row, top - low)


# case: largest_of_all
# options: turns=1
"""The largest element of a tensor: exact, and one program before."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    top = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for i in range(tl.cdiv(N, BLOCK)):
        cols = i * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        top = tl.maximum(top, x)
    tl.store(Y, tl.max(top, axis=0))


def largest(x: torch.Tensor):
    x = x.float().contiguous()
    y = torch.empty((), dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y


# case: loops_in_loops
# options: turns=1
"""A nest of loops: the turns of the outer one are divided."""


@triton.jit
def kernel(X, Y, stride_n, stride_c, N, HW, eps, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for n in range(N):
        for start in range(0, HW, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            place = X + n * stride_n + c * stride_c + cols
            total += tl.load(place, mask=cols < HW, other=0.0).to(tl.float32)
    tl.store(Y + c, tl.sum(total, axis=0) / (N * HW))


def means_of_channels(x: torch.Tensor):
    x = x.contiguous()
    n, c, hw = x.shape
    y = torch.empty(c, dtype=torch.float32, device=x.device)
    kernel[(c,)](x, y, x.stride(0), x.stride(1), n, hw, 0.0, BLOCK=32)
    return y


# case: mean_and_variance
# options: turns=1
"""Sums and sums of squares, as the kernel has them."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    first = tl.load(X + row * stride).to(tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - first, 0.0)
        total += d
        squares += d * d
    mean = tl.sum(total, axis=0) / N
    tl.store(Mean + row, mean + first)
    tl.store(Var + row, tl.sum(squares, axis=0) / N - mean * mean)


def statistics(x: torch.Tensor):
    m, n = x.shape
    mean = torch.empty(m, dtype=torch.float32, device=x.device)
    var = torch.empty_like(mean)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return mean, var
