import torch
import triton
import triton.language as tl


# case: taken
# expect: silent
"""Each result goes somewhere."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    """Doubles."""
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c)
    x = x.to(tl.float32)
    tl.store(Y + c, x * 2)


# case: hints_and_assertions
# expect: silent
"""They are there for what they say."""


@triton.jit
def k(X, Y, n, stride, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 16 == 0)
    tl.multiple_of(stride, 16)
    tl.assume(n > 0)
    tl.device_assert(n > 0)
    tl.device_print("n", n)
    c = tl.arange(0, BLOCK)
    tl.max_contiguous(tl.multiple_of(c, BLOCK), BLOCK)
    tl.store(Y + c, tl.load(X + stride + c))
    tl.debug_barrier()


# case: atomic_and_helper
# expect: silent
"""The old value of an atomic is seldom used, and a helper may do more."""


@triton.jit
def add(Y, x):
    tl.atomic_add(Y, x)
    return x + 1


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    x = tl.sum(tl.load(X + tl.arange(0, BLOCK)))
    tl.atomic_add(Y, x)
    add(Y, x)


# case: load_for_its_effect
# expect: silent
"""Somebody warms the cache."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.load(X + c)
    tl.store(Y + c, c)
