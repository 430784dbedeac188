import torch
import triton
import triton.language as tl


# case: longest_length
# expect: finding, undefined-lanes-reduced
"""Lengths are not negative, so that a 0 is not the longest of them."""


@triton.jit
def kernel(Lengths, Y, N, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    lengths = tl.load(Lengths + rows, mask=rows < N).to(tl.int32)
    tl.store(Y, tl.max(lengths, axis=0))


# case: one_factor_is_loaded_by_a_helper
# expect: finding, undefined-lanes-reduced
"""Other callers of the helper may want no 0, and one for the other factor would be half a fix."""


@triton.jit
def row(W, c, N):
    return tl.load(W + c, mask=c < N).to(tl.float32)


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N)
    tl.store(Y, tl.sum(x * row(W, c, N), axis=0))


# case: zero_times_a_logarithm_of_zero
# expect: finding, undefined-lanes-reduced
"""No 0 helps: its logarithm is minus infinity, and times 0 that is NaN."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N)
    w = tl.load(W + c, mask=c < N)
    tl.store(Y, tl.sum(w * tl.log(x), axis=0))


# case: bits_of_two_loads
# expect: finding, undefined-lanes-reduced
"""What is tried are fractions, which have no bits: so nothing shows that a 0 is right."""


@triton.jit
def kernel(X, Flags, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N)
    tl.store(Y, tl.sum(x & tl.load(Flags + c), axis=0))
