import torch
import triton
import triton.language as tl


# case: checked_for_a_smaller_block
# like: right_by_the_launcher
# expect: finding, hint-can-be-false
"""The launcher checks 16, the hint promises 64."""
#-    assert m % 128 == 0 and k > 0
#+    assert m % 16 == 0


# case: guarded_from_outside
# expect: finding, hint-can-be-false
"""The hint is a property of the `%` outside of the `if`, and holds on every way. The guard says
nothing of the length."""


@triton.jit
def rows_kernel(A, Y, M, stride, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if stride == 1:
        rows = tl.max_contiguous(tl.multiple_of(offs % M, BLOCK), BLOCK)
    else:
        rows = offs % M
    tl.store(Y + offs, tl.load(A + rows * stride), mask=offs < M)


# case: masked_off_where_it_is_stored
# expect: finding, hint-can-be-false
"""The lanes that wrap are not stored: said with the hint."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = tl.max_contiguous(tl.multiple_of(offs % N, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + source), mask=offs < N)


# case: old_matmul_tutorial
# expect: finding, hint-can-be-false
"""The hint of the old tutorials is false for M = 100 and a block of 64."""


@triton.jit
def rows_kernel(A, Y, M, K, BLOCK_M: tl.constexpr):
    pid_m = tl.program_id(0)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    tl.store(Y + rm, tl.load(A + ram), mask=rm < M)


# case: promised_along_the_other_axis
# expect: finding, hint-can-be-false
"""[BLOCK, 1] speaks of the rows, which are W apart."""


@triton.jit
def tile_kernel(X, Y, W: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    tile = rows[:, None] * W + cols[None, :]
    tile = tl.max_contiguous(tile, [BLOCK, 1])
    tl.store(Y + tile, tl.load(X + tile))


def tiles(x: torch.Tensor):
    y = torch.empty_like(x)
    tile_kernel[(1,)](x, y, 128, 16, 16)
    return y


# case: promised_of_a_number
# expect: finding, hint-can-be-false
"""A promise of 16, in two statements and by keyword."""


@triton.jit
def ring_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    src = tl.multiple_of(src, values=16)
    src = tl.max_contiguous(src, values=16)
    tl.store(Y + offs, tl.load(X + src))


# case: promised_of_a_selection
# expect: finding, hint-can-be-false
"""The last program selects element 0 in the middle of its block."""


@triton.jit
def scale_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where(offs < N, offs, 0)
    safe = tl.max_contiguous(tl.multiple_of(safe, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + safe), mask=offs < N)


# case: promised_of_every_other
# expect: finding, hint-can-be-false
"""Neighboring lanes are 2 apart, whatever the numbers."""


@triton.jit
def even_kernel(X, Y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    even = tl.max_contiguous(lanes * 2, BLOCK)
    tl.store(Y + lanes, tl.load(X + even))


# case: starts_are_too_fine
# expect: finding, hint-can-be-false
"""The tuner may choose blocks of 32, which do not start at multiples of 64."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["N"]
)
@triton.jit
def copy_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.multiple_of(tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 64)
    tl.store(Y + offs, tl.load(X + offs, mask=offs < N), mask=offs < N)


def copied(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    copy_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y


# case: starts_at_one
# expect: finding, hint-can-be-false
"""Plain offsets that start one too late."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs + 1
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))


# case: starts_at_sixteen
# expect: finding, hint-can-be-false
"""32 lanes from 16 on: consecutive, but 16 is no multiple of 32."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y):
    lanes = tl.arange(16, 48)
    lanes = tl.max_contiguous(tl.multiple_of(lanes, 32), 32)
    tl.store(Y + lanes, tl.load(X + lanes))


# case: starts_of_later_groups
# expect: finding, hint-can-be-false
"""Groups of 16 lanes: the second starts at 16, which is no multiple of 64."""


@triton.jit
def copy_kernel(X, Y):
    lanes = tl.program_id(0) * 64 + tl.arange(0, 64)
    lanes = tl.max_contiguous(tl.multiple_of(lanes, 64), 16)
    tl.store(Y + lanes, tl.load(X + lanes))


# case: stops_before_the_end
# expect: finding, hint-can-be-false
"""Programs beyond the end return; the last one that stays still wraps."""


@triton.jit
def rows_kernel(A, Y, M, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    if start >= M:
        return
    offs = start + tl.arange(0, BLOCK)
    rows = tl.max_contiguous(tl.multiple_of(offs % M, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(A + rows), mask=offs < M)
