import torch
import triton
import triton.language as tl


# case: both_listed
# like: listed_stride
# expect: finding, compiler-is-not-told
"""The mask ends nobody knows where, and the row begins there."""
#-@triton.jit(do_not_specialize=["stride"])
#+@triton.jit(do_not_specialize=["stride", 3])


# case: column_of_a_row
# expect: finding, compiler-is-not-told
"""The lanes of a column lie a stride apart."""


@triton.jit
def gather(X, Y, stride: int, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + 16 * tl.program_id(0) + lanes * stride)
    tl.store(Y + tl.program_id(0) * BLOCK + lanes, x)


# case: counts_annotated
# expect: finding, compiler-is-not-told
"""What is annotated was not kept from the compiler on purpose, whatever lies there."""


@triton.jit
def shift(COUNTS, SHIFTED, stride: int, apart: int, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    counts = tl.load(COUNTS + tl.program_id(0) * stride + rows * apart).to(tl.int32)
    tl.store(SHIFTED + tl.program_id(0) * stride + rows * apart, counts + 1)


# case: four_lanes_a_thread
# like: one_lane_with_many_warps
# expect: finding, compiler-is-not-told
"""Four lanes for each of 128 threads."""
#-    double_rows[(m, triton.cdiv(n, 512))](x, y, x.stride(0), n, BLOCK=512, num_warps=16)
#+    double_rows[(m, triton.cdiv(n, 512))](x, y, x.stride(0), n, BLOCK=512)


# case: in_a_helper
# expect: finding, compiler-is-not-told
"""The helper is compiled with what its caller knows, which is not enough."""


@triton.jit
def tile_of(X, stride, cols, N):
    return tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(Y + cols, tile_of(X, stride, cols, N) * 2)


# case: lanes_apart
# like: column_of_a_row
# expect: finding, compiler-is-not-told
"""Where the stride is 1, lanes lie side by side, and nobody tells."""
#-    x = tl.load(X + 16 * tl.program_id(0) + lanes * stride)
#+    x = tl.load(X + lanes * stride)


# case: listed_by_place
# expect: finding, compiler-is-not-told
"""Listed by its place."""


@triton.jit(do_not_specialize=[2])
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


# case: listed_length
# like: listed_by_place
# expect: finding, compiler-is-not-told
"""Listed by its name."""
#-@triton.jit(do_not_specialize=[2])
#+@triton.jit(do_not_specialize=["N"])


# case: listed_stride
# expect: finding, compiler-is-not-told
"""The stride between rows is a plain number."""


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)


# case: loop_over_a_row
# expect: finding, compiler-is-not-told
"""The mask of the last tile."""


@triton.jit(do_not_specialize=["N"])
def row_sum(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


# case: matrix_of_rows_of_that_length
# expect: finding, compiler-is-not-told
"""The rows of the matrix are so long, and so they begin at any element."""


@triton.jit(do_not_specialize=["T"])
def copy_square(X, Y, B, T, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = rows < T
    bias = tl.load(B + rows, mask=mask, other=0.0)
    offsets = rows[:, None] * T + rows[None, :]
    x = tl.load(X + offsets, mask=mask[:, None] & mask[None, :])
    tl.store(Y + offsets, x + bias[:, None], mask=mask[:, None] & mask[None, :])


# case: not_aligned
# like: listed_by_place
# expect: finding, compiler-is-not-told
"""Listed as not aligned."""
#-@triton.jit(do_not_specialize=[2])
#+@triton.jit(do_not_specialize_on_alignment=["N"])


# case: pointer_moves
# expect: finding, compiler-is-not-told
"""The stride goes into the pointer first."""


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * stride
    Y += tl.program_id(0) * stride
    cols = tl.arange(0, BLOCK)
    tl.store(Y + cols, tl.load(X + cols, mask=cols < N) * 2, mask=cols < N)


# case: rows_begin_anew
# expect: finding, compiler-is-not-told
"""Rows beyond the last one are the first ones again; which of the strides is 1 is not told."""


@triton.jit
def copy_tile(X, Y, M, stride_m: int, stride_n: int, BLOCK: tl.constexpr):
    rows = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]) % M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride_m + cols * stride_n)
    tl.store(Y + tl.program_id(0) * BLOCK * BLOCK + tl.arange(0, BLOCK)[:, None] * BLOCK + cols, x)


# case: rows_of_indices
# expect: finding, compiler-is-not-told
"""How far rows of indices are apart does not change from call to call."""


@triton.jit(do_not_specialize=["stride"])
def slots_of(BLOCKS, POSITIONS, SLOTS, stride, N, PAGE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    position = tl.load(POSITIONS + tl.program_id(0) * stride + cols, mask=mask, other=0)
    block = tl.load(BLOCKS + position // PAGE, mask=mask, other=0)
    tl.store(SLOTS + tl.program_id(0) * stride + cols, block * PAGE + position % PAGE, mask=mask)


# case: scan_of_any_type
# expect: finding, compiler-is-not-told
"""Integers are added in 32 bits and all else in floats: it is data, whichever they are."""


@triton.jit(do_not_specialize=["N"])
def sum_up(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    if x.dtype.is_int():
        x = x.to(tl.int32)
    else:
        x = x.to(tl.float32)
    tl.store(Y + offsets, tl.cumsum(x, axis=0), mask=offsets < N)


# case: strides_of_a_tile
# expect: finding, compiler-is-not-told
"""Both strides of a tile: neither the 1 nor the 16 is told."""


@triton.jit
def copy_tile(X, Y, stride_m: int, stride_n: int, BLOCK: tl.constexpr):
    rows, cols = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride_m + cols * stride_n)
    tl.store(Y + rows * BLOCK + cols, x)
