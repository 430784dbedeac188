import torch
import triton
import triton.language as tl


# case: cast_of_an_accumulator
# expect: finding, result-is-dropped
"""The accumulator stays what it is."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    acc = tl.load(X + c).to(tl.float32)
    acc.to(tl.float16)
    tl.store(Y + c, acc)


# case: cast_of_a_stride
# expect: finding, result-is-dropped
"""The offset overflows as before."""


@triton.jit
def k(X, Y, stride, BLOCK: tl.constexpr):
    tl.cast(stride, tl.int64)
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.load(X + tl.program_id(0) * stride + c))


# case: sum_in_a_branch
# expect: finding, result-is-dropped
"""A reduction and a sum of two."""


@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c)
    if n > 0:
        tl.where(c < n, x, 0.0)
    tl.store(Y + c, x)
