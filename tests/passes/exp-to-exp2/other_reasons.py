import torch
import triton
import triton.language as tl


# case: double_precision
# like: without_an_axis
# expect: not applied, type-changes
"""What is computed in fp64 is another function of the GPU."""
#-        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        x = tl.dot(tl.load(X + start + at), tl.load(V + at)).to(tl.float64)
#+        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
#+        tl.store(Out + start + at, e / tl.sum(e, axis=1, keep_dims=True))


# case: pinned
# like: without_an_axis
# expect: not applied, pinned-bits
"""Somebody wanted the bits of another library."""
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
#+        tl.store(Out + start + at, tl.div_rn(e, tl.sum(e, axis=1, keep_dims=True)))


# case: other_functions
# expect: silent
"""A function of the file, one of a library, and the power of two itself."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def exp(x):
    return x * x


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        x = x - tl.max(x, axis=1, keep_dims=True)
        tl.store(Out + start + at, exp(x) + libdevice.exp(x) + tl.exp2(x))


# case: rows_without_products
# expect: silent
"""A row waits for memory; so does one product outside of a loop."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    s = tl.dot(tl.load(X + at), tl.load(V + at))
    s = tl.exp(s - tl.max(s, axis=1, keep_dims=True))
    tl.store(Out + at, s)
    for start in range(0, N, BLOCK):
        x = tl.load(X + start + cols).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Out + start + cols, e / tl.sum(e, axis=0))
