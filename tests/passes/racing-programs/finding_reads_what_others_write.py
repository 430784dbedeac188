import torch
import triton
import triton.language as tl


# case: end_of_the_tile_before
# expect: finding, reads-what-others-write
"""Each tile goes on where the one before it ended, if that is there yet."""

@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    o = i * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + o, mask=o < n, other=0.0)
    c = tl.cumsum(x, 0)
    if i > 0:
        c += tl.load(Y + i * BLOCK - 1)
    tl.store(Y + o, c, mask=o < n)


def cumsum(x):
    n = x.numel()
    y = torch.empty_like(x)
    k[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y


# case: first_row_for_all
# expect: finding, reads-what-others-write
"""All rows read the first one, which its own program writes."""


@triton.jit
def subtract_first_kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    first = tl.load(X + cols, mask=cols < N)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, x - first, mask=cols < N)


def subtract_first(x: torch.Tensor):
    m, n = x.shape
    subtract_first_kernel[(m,)](x, n, n, BLOCK=triton.next_power_of_2(n))


# case: overlapping_rows
# expect: finding, reads-what-others-write
"""Rows of a matrix under two names: each program reads the row that the next one writes."""


@triton.jit
def add_kernel(Above, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    above = tl.load(Above + row * N + cols, mask=cols < N)
    y = tl.load(Y + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, above + y, mask=cols < N)


def running_sums(x: torch.Tensor):
    m, n = x.shape
    above = x[:-1, :]
    below = x[1:, :]
    add_kernel[(m - 1,)](above, below, n, BLOCK=triton.next_power_of_2(n))


# case: overlapping_slices
# expect: finding, reads-what-others-write
"""Two slices of one tensor: the last lane of a tile is the first that the next program writes."""


@triton.jit
def copy_kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x, mask=offsets < N)


def shift(x: torch.Tensor):
    n = x.numel() - 1
    copy_kernel[(triton.cdiv(n, 64),)](x[1:], x[:-1], n, BLOCK=64)


# case: row_above_of_one_tensor
# expect: finding, reads-what-others-write
"""One tensor is passed for both, and each row reads the one above it."""


@triton.jit
def add_above_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    above = tl.load(X + (row - 1) * stride + cols, mask=(row > 0) & (cols < N), other=0.0)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row * stride + cols, above + x, mask=cols < N)


def add_above(x: torch.Tensor):
    m, n = x.shape
    add_above_kernel[(m,)](x, x, n, n, BLOCK=triton.next_power_of_2(n))


# case: rows_apart_by_an_argument
# expect: finding, reads-what-others-write
"""How many rows lie between is an argument of the launcher."""


@triton.jit
def rows_kernel(src, dst, n, shift, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(src + (row + shift) * n + cols, mask=cols < n, other=0.0)
    tl.store(dst + row * n + cols, x / tl.sum(x, axis=0), mask=cols < n)


def run(x, shift):
    m, n = x.shape
    out = x
    rows_kernel[(m,)](x, out, n, shift, BLOCK=triton.next_power_of_2(n))
    return out


# case: shift_if_the_caller_asks
# expect: finding, reads-what-others-write
"""Nothing but the caller decides whether the neighbor is read."""


@triton.jit
def kernel(X, N, SHIFTED: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    read = offsets
    if SHIFTED:
        read = offsets + 1
    x = tl.load(X + read, mask=read < N)
    tl.store(X + offsets, x * 2, mask=read < N)


def launch(x, shifted: bool = False):
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, n, SHIFTED=shifted, BLOCK=64)


# case: shift_in_place
# like: one_program
# expect: finding, reads-what-others-write
"""The first lane of a tile is read by the last lane of the tile before."""
#-    shift_kernel[(1,)](x, n, BLOCK=triton.next_power_of_2(n))
#+    shift_kernel[(triton.cdiv(n, 64),)](x, n, BLOCK=64)


# case: splits_of_a_product
# expect: finding, reads-what-others-write
"""Programs that share the sum of a product store one after the other."""

@triton.jit
def k(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    pk = tl.program_id(2)
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(pk * BK, K, BK * SPLIT):
        kk = i + tl.arange(0, BK)
        a = tl.load(A + m[:, None] * K + kk[None, :], mask=(m[:, None] < M) & (kk[None, :] < K), other=0.0)
        b = tl.load(B + kk[:, None] * N + n[None, :], mask=(kk[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
    c = C + m[:, None] * N + n[None, :]
    msk = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c, tl.load(c, mask=msk) + acc, mask=msk)


def mm(a, b):
    m, kk = a.shape
    kk, n = b.shape
    c = torch.zeros((m, n), device=a.device)
    k[(triton.cdiv(m, 32), triton.cdiv(n, 32), 4)](a, b, c, m, n, kk, BM=32, BN=32, BK=32, SPLIT=4)
    return c


# case: stencil_in_place
# expect: finding, reads-what-others-write
"""The neighbors on both sides belong to other tiles at its ends."""


@triton.jit
def blur_kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(X + offsets - 1, mask=(offsets > 0) & (offsets < N), other=0.0)
    right = tl.load(X + offsets + 1, mask=offsets + 1 < N, other=0.0)
    tl.store(X + offsets, (left + right) / 2, mask=offsets < N)


def blur(x: torch.Tensor):
    n = x.numel()
    blur_kernel[(triton.cdiv(n, 32),)](x, n, BLOCK=32)


# case: sum_without_atomics
# expect: finding, reads-what-others-write
"""All rows add to one buffer, and nobody waits for anybody."""

@triton.jit
def k(X, DW, stride, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + r * stride + c, mask=c < N, other=0.0)
    w = tl.load(DW + c, mask=c < N, other=0.0)
    tl.store(DW + c, w + x, mask=c < N)


def colsum(x):
    m, n = x.shape
    dw = torch.zeros(n, device=x.device)
    k[(m,)](x, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dw


# case: sums_of_all_programs
# expect: finding, reads-what-others-write
"""Every program reads the sums of all programs, whether they are there or not."""

@triton.jit
def k(X, P, Y, n, G: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    o = i * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + o, mask=o < n, other=0.0)
    tl.store(P + i, tl.sum(x, 0))
    s = tl.sum(tl.load(P + tl.arange(0, G)), 0)
    tl.store(Y + o, x / s, mask=o < n)


def norm(x):
    n = x.numel()
    p = torch.zeros(1024, device=x.device)
    y = torch.empty_like(x)
    k[(triton.cdiv(n, 1024),)](x, p, y, n, G=1024, BLOCK=1024)
    return y
