import torch
import triton
import triton.language as tl


# case: checked_in_a_function
# like: right_by_the_launcher
# expect: silent
"""A function of the file asks for whole tiles, in a way that is not followed."""
# import triton.language as tl
#+
#+
#+def check(m):
#+    text = "{} rows are no whole number of tiles"
#+    assert m % 64 == 0, text.format(m)
#-    assert m % 128 == 0 and k > 0
#+    check(m)


# case: checked_in_another_way
# like: whole_tiles_by_the_grid
# expect: silent
"""A check that is not understood may be the one that is needed."""
#-    kernel[(min(4, n // 128),)](x, y, n, BLOCK=128)
#+    assert all(size % 128 == 0 for size in (n, y.numel()))
#+    kernel[(4,)](x, y, n, BLOCK=128)


# case: equal_by_the_launcher
# like: whole_tiles_by_the_grid
# expect: silent
"""The launcher checks the very length."""
#-    kernel[(min(4, n // 128),)](x, y, n, BLOCK=128)
#+    assert n == 256
#+    kernel[(4,)](x, y, n, BLOCK=128)


# case: longer_by_an_assumption
# like: whole_tiles_by_the_grid
# expect: silent
"""The length is assumed to be larger than all the programs together."""
# def kernel(X, Y, N, BLOCK: tl.constexpr):
#+    tl.assume(N >= 100000)
#-    kernel[(min(4, n // 128),)](x, y, n, BLOCK=128)
#+    kernel[(4,)](x, y, n, BLOCK=128)


# case: no_program_past_the_end
# expect: silent
"""Only a program that starts past the end could select element 0."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(N % BLOCK == 0)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = tl.where(offs < N, offs, 0)
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))


# case: promised_of_an_address
# expect: silent
"""Of pointers, multiples are bytes, and what a tensor's memory is aligned to is not ours to say."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = tl.multiple_of(X + tl.minimum(offs, 7) % 8, 16)
    tl.store(Y + offs, tl.load(source))


# case: right_by_a_flag_inside
# expect: silent
"""The flag may say just what the hint needs."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = tl.max_contiguous(tl.multiple_of(offs % N, BLOCK), BLOCK) if EVEN else offs
    tl.store(Y + offs, tl.load(X + src))


# case: rounded_by_the_launcher
# like: whole_tiles_by_the_grid
# expect: silent
"""What the launcher does to the length is not understood, and may be right."""
#-    kernel[(min(4, n // 128),)](x, y, n, BLOCK=128)
#+    n = n & ~127
#+    kernel[(4,)](x, y, n, BLOCK=128)


# case: whole_tiles_by_rest
# expect: silent
"""The number of the tile is below that of the whole tiles."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    tile = tl.program_id(0) % (N // BLOCK)
    src = (tile * BLOCK + tl.arange(0, BLOCK)) % N
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + src, tl.load(X + src))


# case: whole_tiles_by_the_grid
# expect: silent
"""The grid ends with the last whole tile, which nothing but numbers shows."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))


def run(x, n):
    y = torch.empty_like(x)
    kernel[(min(4, n // 128),)](x, y, n, BLOCK=128)
    return y


# case: whole_tiles_of_a_while
# expect: silent
"""The loop ends before a tile that would wrap."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    while tile * BLOCK + BLOCK <= N:
        src = (tile * BLOCK + tl.arange(0, BLOCK)) % N
        src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
        tl.store(Y + src, tl.load(X + src))
        tile += tl.num_programs(0)
