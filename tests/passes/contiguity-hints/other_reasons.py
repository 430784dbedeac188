import torch
import triton
import triton.language as tl


# case: not_a_power_of_two
# expect: finding, hint-is-malformed
"""48 is no power of two."""


@triton.jit
def row_kernel(X, Y, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * 48 + tl.arange(0, BLOCK)
    lanes = tl.max_contiguous(tl.multiple_of(lanes, 48), 16)
    tl.store(Y + lanes, tl.load(X + lanes))


# case: wider_than_the_tile
# expect: finding, hint-is-malformed
"""128 lanes of a tile that has 64."""


@triton.jit
def head_kernel(X, Y):
    lanes = tl.arange(0, 64)
    at = tl.max_contiguous(tl.multiple_of(lanes, 64), 128)
    tl.store(Y + lanes, tl.load(X + at))


# case: computed_in_two_places
# expect: finding, hint-narrows
"""Hints are about one operation: the first says nothing of groups of 4."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y):
    pid = tl.program_id(0)
    first = tl.multiple_of(pid * 64 + tl.arange(0, 64), 64)
    second = tl.max_contiguous(pid * 64 + tl.arange(0, 64), 4)
    tl.store(Y + first, tl.load(X + second))


# case: narrows_what_is_known
# like: wider_than_the_tile
# expect: finding, hint-narrows
"""The compiler knows of 64 consecutive lanes; the hint makes it 4."""
#-    at = tl.max_contiguous(tl.multiple_of(lanes, 64), 128)
#+    at = tl.max_contiguous(tl.multiple_of(lanes, 4), 4)


# case: called_with_tiles
# expect: not applied, called-from-a-kernel
# assume: N % BLOCK == 0
"""A helper: its N may be a tile, and then each lane wraps at a length of its own."""


@triton.jit
def read_ring(X, pid, N, BLOCK: tl.constexpr):
    offs = (pid * BLOCK + tl.arange(0, BLOCK)) % N
    return tl.load(X + offs)


@triton.jit
def ring_kernel(X, Lengths, Y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(Y + lanes, read_ring(X, 0, tl.load(Lengths + lanes), BLOCK))


# case: constant_length
# expect: not applied, compiler-knows
"""A length that the compiler knows: it sees through the `%` by itself."""


LENGTH = 4096


@triton.jit
def ring_kernel(X, Y, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + offs, tl.load(X + offs % LENGTH))


def ring(x: torch.Tensor):
    y = torch.empty(2 * LENGTH, dtype=x.dtype, device=x.device)
    ring_kernel[(2 * LENGTH // 64,)](x, y, BLOCK=64)
    return y


# case: whole_blocks_in_the_kernel
# expect: not applied, compiler-knows
"""The length is computed as a multiple of the block, and the compiler computes with it."""


@triton.jit
def ring_kernel(X, Y, blocks, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    around = offs % (blocks * BLOCK)
    tl.store(Y + offs, tl.load(X + around))


# case: eight_may_narrow
# like: length_of_any_size
# expect: not applied, hint-narrows
"""Groups of 8 are true, but where N is a multiple of 16 Triton does better by itself."""
#     n = x.numel()
#+    assert n % 8 == 0
