import torch
import triton
import triton.language as tl


# case: axis_in_a_parameter
# expect: silent
"""A parameter may be an axis: helpers are given constants of the compiler."""

import triton
import triton.language as tl


@triton.jit
def reduced(x, axis):
    return tl.max(x, axis)


# case: builtin_and_reduction
# expect: silent
"""A reduction over a proper axis and Python's own `max` of numbers are not rewritten."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    top = tl.max(x, 0)
    width: tl.constexpr = max(BLOCK, 16)
    y = x - top + width
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


# case: reduction_with_hidden_arguments
# expect: silent
"""Nobody sees whether the axis is a float."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, axis: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = x - tl.max(x, *axis)
    tl.store(Y + cols, y, mask=cols < N)
