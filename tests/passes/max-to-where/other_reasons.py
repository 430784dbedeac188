import torch
import triton
import triton.language as tl


# case: hidden_arguments
# expect: not applied, arguments-are-not-seen
"""What is compared is spread from a tuple."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    both = (tl.load(X + cols).to(tl.float32), 0.0)
    tl.store(Y + cols, tl.maximum(*both))


# case: comment_inside
# like: negative_zero
# expect: not applied, comment-inside
"""A comment inside the call would be lost."""
#-    y = 1.0 / tl.maximum(x, -0.0)
#+    y = tl.maximum(
#+        x,  # centered
#+        0.0,
#+    )


# case: nan_constant
# like: negative_zero
# expect: not applied, constant-is-special
"""The constant is NaN: the maximum is x, and a comparison with NaN is false."""
# import triton.language as tl
#+
#+UNSET = float("nan")
#-    y = 1.0 / tl.maximum(x, -0.0)
#+    y = tl.maximum(x, UNSET)


# case: negative_zero
# expect: not applied, constant-is-special
"""With -0.0, `tl.where(x > -0.0, x, -0.0)` makes -0.0 of 0.0, and the hardware's maximum is 0.0."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = 1.0 / tl.maximum(x, -0.0)
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


# case: mode_by_position
# like: negative_zero
# expect: not applied, nan-is-propagated
"""The NaN mode is the third operand, and chosen at the launch."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, MODE: tl.constexpr, BLOCK: tl.constexpr):
#-    y = 1.0 / tl.maximum(x, -0.0)
#+    y = tl.minimum(x, 1.0, MODE)
#-    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
#+    kernel[(triton.cdiv(n, 32),)](x, y, n, tl.PropagateNan.ALL, BLOCK=32)


# case: propagates_nan
# like: negative_zero
# expect: not applied, nan-is-propagated
"""A NaN is to come through; `tl.where(x > 0.0, x, 0.0)` would make it 0."""
#-    y = 1.0 / tl.maximum(x, -0.0)
#+    y = tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL)


# case: in_a_helper
# like: in_a_helper_that_casts
# expect: not applied, safety
"""A helper clamps a variance. The type of what it is called with is not known to it."""
#-    var = var.to(tl.float32)


# case: loaded_and_multiplied
# like: taken_for_single
# expect: not applied, safety
"""For fp16 the maximum is fp32, so that its square does not overflow; a choice would stay fp16."""
#-    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
#+    x = tl.load(x_ptr + offsets, mask=mask)
#-    z = tl.minimum(x, 6)
#-    tl.store(y_ptr + offsets, y * y + z, mask=mask)
#+    tl.store(y_ptr + offsets, y * y, mask=mask)
#-# tritonopt: x: f32[n]


# case: loaded_count
# like: negative_zero
# expect: not applied, safety
"""What is loaded may be int8, of which the maximum with 1 is int32 and the selection int8."""
#-    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
#-    y = 1.0 / tl.maximum(x, -0.0)
#+    x = tl.load(X + cols, mask=mask, other=0.0)
#+    y = tl.maximum(x, 1)
#+    y = y * 100


# case: half_divided
# like: constant_after_an_atomic
# expect: not applied, type-is-unknown
"""Some versions of Triton divide fp16 as fp16."""
#-    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-    y = tl.maximum(x, (tl.atomic_add(Y, 1), 0.5)[1])
#+    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float16) / 2
#+    y = tl.maximum(x, 0.1)


# case: rounded_by_libdevice
# expect: not applied, type-is-unknown
"""`llrint` of fp32 is int64."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    n = libdevice.llrint(x)
    n = tl.maximum(n, 3)
    tl.store(Y + cols, n * 2, mask=cols < N)


# case: sum_of_bfloats
# expect: not applied, type-is-unknown
"""The sum of bf16 is fp32 or bf16, by the version of Triton."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.bfloat16)
    total = tl.sum(x, axis=0)
    total = tl.maximum(total, 0.1)
    tl.store(Y, total)
