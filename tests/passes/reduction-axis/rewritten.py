import torch
import triton
import triton.language as tl


# case: maximum_of_a_reduction
# verify: no, the original does not compile
"""`tl.max(x, 0.0)` is a reduction over an axis; `tl.maximum` was meant."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.max(x, 0.0)
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


# case: minimum_as_a_method
# like: maximum_of_a_reduction
# verify: no, the original does not compile
"""The same slip as a method, with the number in the module."""
# import triton.language as tl
#+
#+LIMIT = 6.0
#-    y = tl.max(x, 0.0)
#+    y = x.min(axis=LIMIT)


# case: reduction_as_a_method
# verify: no, the original does not compile
"""A method is no reduction either where it gets a tile."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    y = tl.load(Y + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, x.min(axis=y), mask=cols < N)


# case: reduction_over_a_tile
# like: reduction_as_a_method
# verify: no, the original does not compile
"""The larger of two tiles is tl.maximum; tl.max takes an axis."""
#-    tl.store(Y + cols, x.min(axis=y), mask=cols < N)
#+    tl.store(Y + cols, tl.max(x, y), mask=cols < N)


# case: running_maximum
# verify: no, the original does not compile
"""The larger of two numbers, one of them carried by a loop."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    best = float("-inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("-inf"))
        best = tl.max(best, tl.max(x, axis=0))
    tl.store(Y, best)
