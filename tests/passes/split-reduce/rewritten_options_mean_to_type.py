import torch
import triton
import triton.language as tl


# case: mean_of_rows
# like: exact_bits
# options: turns=1
"""Means of rows: the second kernel divides, once."""
#     row = tl.program_id(0)
#+    X += row * stride
#-        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        acc += x
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+        acc += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+    # Of all elements of the row.
#+    mean = tl.sum(acc, axis=0) / N
#+    tl.store(Y + row, mean)


# case: moved_pointer
# options: turns=1
"""Pointers go along from turn to turn."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    X += row * stride + tl.arange(0, BLOCK)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X, mask=cols < N, other=0.0).to(tl.float32)
        X += BLOCK
    tl.store(Y + row, tl.sum(acc, axis=0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: names_alike
# options: turns=1
"""Accumulators whose names differ in nothing but capitals; a loop that begins anywhere."""


@triton.jit
def kernel(X, Y, stride, N, skip, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    s = tl.zeros([BLOCK], dtype=tl.float32)
    S = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(skip * 2 + 1, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        s += x
        S += x * x
    tl.store(Y + 2 * row, tl.sum(s, axis=0))
    tl.store(Y + 2 * row + 1, tl.sum(S, axis=0))


# tritonopt: x: f32[m, n], skip: int in 0..1
def reduced(x: torch.Tensor, skip: int):
    m, n = x.shape
    splits = torch.empty(m, 2, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, splits, x.stride(0), n, skip, BLOCK=32)
    return splits


# case: online
# like: moved_pointer
# options: turns=1
"""A running maximum rescales the sums of an online softmax; it begins with a finite number."""
#-    X += row * stride + tl.arange(0, BLOCK)
#+    top = tl.full([BLOCK], -1e30, dtype=tl.float32)
#-        acc += tl.load(X, mask=cols < N, other=0.0).to(tl.float32)
#-        X += BLOCK
#-    tl.store(Y + row, tl.sum(acc, axis=0))
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
#+        new = tl.maximum(top, x)
#+        acc = acc * tl.exp(top - new) + tl.exp(x - new)
#+        top = new
#+    tl.store(Y + row, tl.sum(acc * tl.exp(top - tl.max(top, axis=0)), axis=0))


# case: online_rows
# options: turns=2
"""A softmax in two sweeps, where rows of nothing but -inf are guarded: it may begin with -inf."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = -float("inf")
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(top - shift) + tl.sum(tl.exp(x - shift), axis=0)
        top = new
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        tl.store(Y + row * stride + cols, tl.exp(x - top) / total, mask=cols < N)


def softmax(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: optional
# options: turns=1
"""A parameter that has a default is passed by its place, by its name, or not at all."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, B=None, scale=1.0, HAS: tl.constexpr = False):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    found = tl.sum(acc, axis=0) * scale
    if HAS:
        found += tl.load(B + row)
    tl.store(Y + row, found)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    z = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, 64)
    kernel[(m,)](x, z, x.stride(0), n, 64, y, HAS=True)
    kernel[(m,)](x, y, x.stride(0), n, 64, z, 2.0, True)
    kernel[(m,)](x, z, x.stride(0), n, BLOCK=64, scale=0.5)
    return y, z


# case: others_between
# options: turns=1
"""Launched twice in a loop of the host, and something else is launched between."""


@triton.jit
def fill(Y, value, M, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + offs, value, mask=offs < M)


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)
    tl.store(Y + row, tl.load(Y + row) + tl.sum(acc, axis=0))


def sums(x: torch.Tensor, times: int = 2):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    for value in range(times):
        fill[(triton.cdiv(m, 64),)](y, value, m, BLOCK=64)
        kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
        kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: random_by_place
# options: turns=1
"""Random numbers that only depend on where an element stands."""


@triton.jit
def kernel(X, Y, stride, N, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += tl.where(tl.rand(seed, row * N + cols) > 0.5, x, 0.0)
    tl.store(Y + row, tl.sum(acc, axis=0))


def kept(x: torch.Tensor, seed: int = 7):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, seed, BLOCK=64)
    return y


# case: replaced_in_a_branch
# like: exact_bits
# options: turns=1
"""A branch may replace a sum before it is reduced, so each program stores the tile of sums."""
#     acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    most = tl.zeros([BLOCK], dtype=tl.float32)
#-        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+        most = tl.maximum(most, x)
#+    if row > 0:
#+        acc = most
#+    tl.store(Y + row, tl.sum(acc, axis=0) + tl.max(most, axis=0))


# case: reset_by_the_tuner
# options: turns=1
"""The tuner sets what is added to back to zero before each try, and the second kernel adds once."""


@triton.autotune(
    configs=[triton.Config({}, num_warps=w) for w in (4, 8)], key=["N"], reset_to_zero=["Y"]
)
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)
    tl.atomic_add(Y, tl.sum(acc, axis=0))


def total(x: torch.Tensor):
    m, n = x.shape
    y = torch.zeros(1, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: root_of_a_mean
# options: turns=1
"""What is done with a sum need not be linear."""


@triton.jit
def kernel(X, Y, stride, N, eps, BLOCK: tl.constexpr):
    """Root of the mean square of each row."""
    row = tl.program_id(0)
    squares = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += tl.sum(x * x, axis=0)
    tl.store(Y + row, tl.sqrt(squares / N + eps))


def reduced(x: torch.Tensor, eps: float = 1e-6):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, eps, BLOCK=64)
    return y


# case: rows_of_a_tile
# options: turns=1
"""A program has several rows already: each is divided."""


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        x = tl.load(X + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
        acc += x.to(tl.float32)
    tl.store(Y + rows, tl.sum(acc, axis=1), mask=rows < M)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, x.stride(0), m, n, ROWS=4, BLOCK=32)
    return y


# case: second_sweep
# like: second_sweep_bound_again
# options: turns=2
"""The row is gone through once more, with what was found in it: in parts as well."""
#     rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
#
#+    # For a backward pass.
#+    tl.store(Rstd + row, rstd)
#+
#-    cols = row
#-    tl.store(Rstd + cols, rstd)


# case: second_sweep_bound_again
# options: turns=2
"""After the second loop a name of it stands for something else."""


@triton.jit
def kernel(X, Y, W, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)

    # The row again, from the cache.
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask)
        tl.store(Y + cols, x * rstd * w, mask=mask)
    cols = row
    tl.store(Rstd + cols, rstd)


def rms_norm(x: torch.Tensor, w: torch.Tensor, eps: float = 1e-6):
    m, n = x.shape
    y = torch.empty_like(x)
    rstd = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, w, rstd, x.stride(0), n, eps, BLOCK=64, num_warps=2)
    return y, rstd


# case: second_sweep_exact
# options: turns=2
"""Nothing but the largest is found: all bits stay."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: second_sweep_nested
# options: turns=2
"""Each turn of the second loop goes through a channel, by a loop of its own."""


@triton.jit
def kernel(X, Y, W, channels, pixels, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    size = channels * pixels
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * size + offsets, mask=offsets < size, other=0.0).to(tl.float32)
        acc += x * x
    scale = 1 / tl.sqrt(tl.sum(acc, axis=0) / size + 1e-5)
    for channel in range(channels):
        w = tl.load(W + channel)
        for start in range(0, pixels, BLOCK):
            pixel = start + tl.arange(0, BLOCK)
            offsets = row * size + channel * pixels + pixel
            x = tl.load(X + offsets, mask=pixel < pixels, other=0.0).to(tl.float32)
            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels)


# tritonopt: x: f32[2, c, n], w: f32[c]
def launch(x: torch.Tensor, w: torch.Tensor):
    m, c, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, w, c, n, BLOCK=16)
    return y


# case: two_launches
# options: turns=1
"""Each launch decides for itself."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, axis=0))


def both(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(2, m, dtype=torch.float32, device=x.device)
    first, second = y[0], y[1]
    kernel[(m,)](x, first, x.stride(0), n, BLOCK=64)
    if n > 10:
        kernel[(m,)](x, second, x.stride(0), n // 2, BLOCK=32)
    else:
        second.zero_()
    return y


# case: type_of_the_sum
# like: moved_pointer
# options: turns=1
"""What is kept of the statements before the loop needs the start of the sum."""
#-    X += row * stride + tl.arange(0, BLOCK)
#+    dtype = acc.dtype
#-        acc += tl.load(X, mask=cols < N, other=0.0).to(tl.float32)
#-        X += BLOCK
#-    tl.store(Y + row, tl.sum(acc, axis=0))
#+        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(dtype)
#+    tl.store(Y + row, tl.sum(acc, axis=0).to(dtype))
