"""Stores in loops; above each kernel stands what they have in common with the other accesses."""

import torch
import triton
import triton.language as tl


# store Y and load X, across iteration0: own; iterations-are-independent is assumed: X and Y are the
#         same buffer or disjoint
# store Y and itself, across iteration0: own
@triton.jit
def one_element_each(X, Y, N):
    for i in range(N):
        tl.store(Y + i, tl.load(X + i))


# store X and load X, across iteration0: own
# store X and itself, across iteration0: own
@triton.jit
def in_place(X, N):
    for i in range(N):
        tl.store(X + i, tl.load(X + i) + 1)


# store Y and itself, across iteration0: open; line 23 stores to the same element every time if 0 is
#         0
@triton.jit
def same_element(Y, N):
    for i in range(N):
        tl.store(Y, i)


# store X and load X, across iteration0: open
# store X and itself, across iteration0: own
@triton.jit
def shifted(X, N):
    for i in range(N):
        tl.store(X + i, tl.load(X + i + 1))


# store X and load X, across iteration0: none
# store X and itself, across iteration0: own
@triton.jit
def even_and_odd(X, N):
    for i in range(N):
        tl.store(X + 2 * i, tl.load(X + 2 * i + 1))


# store Y and load X, across iteration0: open; line 41 stores to the same element every time if
#         stride is 0
# store Y and itself, across iteration0: open; line 41 stores to the same element every time if
#         stride is 0
@triton.jit
def any_stride(X, Y, N, stride):
    for i in range(N):
        tl.store(Y + i * stride, tl.load(X + i))


# store Y and itself, across iteration0: own; sizes-are-positive is assumed: M is at least 1
@triton.jit
def stride_that_is_a_size(Y, M, N):
    for i in range(N):
        tl.store(Y + i * M, i // M)


# store Y and itself, across iteration0: own; by the launches
@triton.jit
def stride_of_a_launch(Y, N, stride):
    for i in range(N):
        tl.store(Y + i * stride, i)


def launch_stride(y):
    stride_of_a_launch[(1,)](y, 100, 4)


# store Y and itself, across iteration0: own
@triton.jit
def backwards(Y, N):
    for i in range(N, 0, -1):
        tl.store(Y + i, i)


# store Y and load P, across iteration0: open; it is not proved that stores to another element each
#         time
# store Y and itself, across iteration0: open; it is not proved that stores to another element each
#         time
@triton.jit
def where_it_is_loaded(P, Y, N):
    for i in range(N):
        tl.store(Y + tl.load(P + i), i)


# store Y and itself, across iteration0: open; it is not proved that stores to another element each
#         time
@triton.jit
def squares(Y, N):
    for i in range(N):
        tl.store(Y + i * i, i)


# store Y and itself, across iteration1: own
@triton.jit
def rows(Y, M, N):
    for r in range(M):
        for i in range(N):
            tl.store(Y + r * N + i, i)


# store Y and itself, across iteration1: own; sizes-are-positive is assumed: M is at least 1
@triton.jit
def columns(Y, M, N):
    for r in range(M):
        for i in range(N):
            tl.store(Y + i * M + r, i)


# store Y and itself, across iteration1: open; the loop may access what stored in another lane
@triton.jit
def rows_of_any_stride(Y, M, N, stride):
    for r in range(M):
        for i in range(N):
            tl.store(Y + r * stride + i, i)


# store Y and itself, across iteration1: own
@triton.jit
def rows_with_room(Y, M):
    for r in range(M):
        for i in range(50):
            tl.store(Y + r * 64 + i, i)


# store Y and itself, across iteration1: open; the loop may access what stored in another lane
@triton.jit
def rows_that_overlap(Y, M):
    for r in range(M):
        for i in range(64):
            tl.store(Y + r * 50 + i, i)


# store Y and itself, across iteration2: own
@triton.jit
def planes(Y, L, M, N):
    for p in range(L):
        for r in range(M):
            for i in range(N):
                tl.store(Y + p * M * N + r * N + i, i)


# store Y and load Y, across iteration1: own
# store Y and itself, across iteration1: own
@triton.jit
def again_in_each_row(Y, M, N):
    for r in range(M):
        for i in range(N):
            tl.store(Y + i, tl.load(Y + i) + r)


# store Y and itself, across iteration1: open; the loop may access what stored in another lane
@triton.jit
def triangle(Y, M):
    for r in range(M):
        for i in range(r):
            tl.store(Y + r * M + i, i)


# store X and load X, across iteration1: open
# store X and itself, across iteration1: own
@triton.jit
def the_row_before_stored_it(X, M):
    for r in range(M):
        for i in range(50):
            tl.store(X + r * 101 + 2 * i, tl.load(X + r * 101 + 2 * i - 3))


# store Y and load X, across iteration0: open
# store Y and itself, across iteration0: own
@triton.jit
def two_buffers_or_one(X, Y, N):
    for i in range(N):
        tl.store(Y + i, tl.load(X + i + 1))


# store Y and load X, across iteration0: none; Y is allocated by the launcher; by the launches
# store Y and itself, across iteration0: own
@triton.jit
def new_buffer(X, Y, N):
    for i in range(N):
        tl.store(Y + i, tl.load(X + i + 1))


def launch_new(x):
    y = torch.empty_like(x)
    new_buffer[(1,)](x, y, x.numel() - 1)


# store Y and load X, across iteration0: open
# store Y and itself, across iteration0: own
@triton.jit
def parts_of_one(X, Y, N):
    for i in range(N):
        tl.store(Y + i, tl.load(X + i))


def launch_parts(x):
    parts_of_one[(1,)](x, x[1:], x.numel() - 1)


# store X and load X, across iteration0: own
# store X and itself, across iteration0: own
@triton.jit
def tiles_side_by_side(X, N, B: tl.constexpr):
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        tl.store(X + cols, tl.load(X + cols, mask=cols < N), mask=cols < N)


# store X and load X, across iteration0: open; it is not proved that stores to another element each
#         time
# store X and itself, across iteration0: open; it is not proved that stores to another element each
#         time
@triton.jit
def tiles_that_overlap(X, N, B: tl.constexpr):
    for start in range(0, N, 16):
        cols = start + tl.arange(0, B)
        tl.store(X + cols, tl.load(X + cols, mask=cols < N), mask=cols < N)


# store X and itself, across iteration0: own
@triton.jit
def tiles_in_steps(X, N, B: tl.constexpr):
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        tl.store(X + 2 * cols, 0.0, mask=cols < N)


# store X and itself, across iteration0: own
@triton.jit
def rows_of_a_tile(X, M, N, B: tl.constexpr):
    cols = tl.arange(0, B)
    for r in range(M):
        tl.store(X + r * N + cols, 0.0, mask=cols < N)


# store X and itself, across iteration0: open; it is not proved that stores to another element each
#         time
@triton.jit
def rows_of_a_tile_without_a_mask(X, M, N, B: tl.constexpr):
    cols = tl.arange(0, B)
    for r in range(M):
        tl.store(X + r * N + cols, 0.0)


# store X and load X, across lanes: own
# store X and itself, across lanes: own
# store X and store X, across lanes: open
# store X and store Y, across lanes: open
# store X and load X, across lanes: open
# store X and itself, across lanes: own
# store X and store Y, across lanes: open
# store Y and load X, across lanes: open; it is not proved that stores to another element each time
# store Y and itself, across lanes: open; it is not proved that stores to another element each time
@triton.jit
def one_tile(X, Y, N, B: tl.constexpr):
    cols = tl.arange(0, B)
    x = tl.load(X + cols, mask=cols < N)
    tl.store(X + cols, x + 1, mask=cols < N)
    tl.store(X + 2 * cols, x, mask=cols < N)
    tl.store(Y + cols // 2, x, mask=cols < N)


# atomic_add X and itself, across iteration0: own
# atomic_add X and store X, across iteration0: open
# store X and itself, across iteration0: open; it is not proved that stores to another element each
#         time
@triton.jit
def atomics(X, N, B: tl.constexpr):
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        tl.atomic_add(X + cols, 1.0, mask=cols < N)
        tl.store(X + cols // 2, 1.0, mask=cols < N)
