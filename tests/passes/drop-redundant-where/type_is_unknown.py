import torch
import triton
import triton.language as tl


# case: cast_to_the_output
# expect: not applied, type-is-unknown
"""Where Y holds integers, the float would make fp32 of them, which rounds."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    y = tl.where(mask, x.to(Y.dtype.element_ty), 0.0)
    tl.store(Y + cols, y, mask=mask)


# case: cleared_twice
# expect: not applied, type-is-unknown
"""The inner one is 0 without a load; the outer one makes fp32 of integers."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask)
    y = tl.where(mask, tl.where(mask, x, 0), 0.0) * 3.5
    tl.store(Y + cols, y, mask=mask)


# case: half_is_added_up_in_single
# like: no_mask
# expect: not applied, type-is-unknown
"""The zeros are fp32, and the product is of the data's type, whichever that is."""
#-    w = tl.load(W + cols % N)
#-    value = tl.where(mask, x * w, 0.0)
#+    w = tl.load(W + cols, mask=mask, other=0.0)
#+    value = tl.where(mask, x * w, tl.zeros([BLOCK], dtype=tl.float32))


# case: type_is_not_known
# expect: not applied, type-is-unknown
"""An integer `other=` and nothing else that says what the data are: 0.0 may make floats of integers."""


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0)
    w = tl.load(W + cols, mask=mask, other=0)
    value = tl.where(mask, x * w, 0.0)
    tl.store(OUT + row * N + cols, value, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: zero_as_a_tensor
# expect: not applied, type-is-unknown
"""`tl.to_tensor` makes fp32 of the number, and that of fp16."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    z = tl.load(Z + cols, mask=mask, other=0.0)
    y = tl.where(mask, x * z, tl.to_tensor(0.0)) + 0.1
    tl.store(Y + cols, y, mask=mask)


# case: zero_has_a_name
# like: zero_as_a_tensor
# expect: not applied, type-is-unknown
"""What is assigned to a name is a tensor of fp32, and makes fp32 of fp16."""
#-    y = tl.where(mask, x * z, tl.to_tensor(0.0)) + 0.1
#+    zero = 0.0
#+    y = tl.where(mask, x * z, zero) + 0.1


# case: zero_of_a_helper
# like: zero_as_a_tensor
# expect: not applied, type-is-unknown
"""What a helper returns is a tensor of fp32."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def nothing():
#+    return 0.0
#-    y = tl.where(mask, x * z, tl.to_tensor(0.0)) + 0.1
#+    y = tl.where(mask, x * z, nothing()) + 0.1


# case: zeros_of_another_type
# like: exponential_of_zero
# expect: not applied, type-is-unknown
"""The zeros are fp64, and so becomes the product."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    zeros = tl.zeros([BLOCK], dtype=tl.float64)
#+    value = tl.where(mask, x * w, zeros) * 0.1
