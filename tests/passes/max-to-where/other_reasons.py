import torch
import triton
import triton.language as tl


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


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
# expect: not applied, comment-inside
"""A comment inside the call would be lost."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.maximum(
        x,  # centered
        0.0,
    )
    tl.store(Y + cols, y, mask=mask)
# shared: run


# case: nan_constant
# expect: not applied, constant-is-special
"""The constant is NaN: the maximum is x, and a comparison with NaN is false."""

UNSET = float("nan")


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.maximum(x, UNSET)
    tl.store(Y + cols, y, mask=mask)
# shared: run


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
# shared: run


# case: mode_by_position
# expect: not applied, nan-is-propagated
"""The NaN mode is the third operand, and chosen at the launch."""


@triton.jit
def kernel(X, Y, N, MODE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.minimum(x, 1.0, MODE)
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, tl.PropagateNan.ALL, BLOCK=32)
    return y


# case: propagates_nan
# expect: not applied, nan-is-propagated
"""A NaN is to come through; `tl.where(x > 0.0, x, 0.0)` would make it 0."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(Y + cols, y, mask=mask)
# shared: run


# case: in_a_helper
# expect: not applied, safety
"""A helper clamps a variance. The type of what it is called with is not known to it."""


@triton.jit
def inverse_root(var, eps):
    var = tl.maximum(var, 0.0)
    return 1.0 / tl.sqrt(var + eps)


@triton.jit
def kernel(X, Y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    var = tl.sum(x * x, axis=0) / N - mean * mean
    tl.store(Y + row, inverse_root(var, eps))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, 1e-5, BLOCK=triton.next_power_of_2(n))
    return y


# case: loaded_and_multiplied
# expect: not applied, safety
"""For fp16 the maximum is fp32, so that its square does not overflow; a choice would stay fp16."""


@triton.jit
def squared_relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.maximum(x, 0.0)
    tl.store(y_ptr + offsets, y * y, mask=mask)


def relu(x: torch.Tensor):
    y = torch.empty_like(x, dtype=torch.float32)
    n = x.numel()
    squared_relu[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


# case: loaded_count
# expect: not applied, safety
"""What is loaded may be int8, of which the maximum with 1 is int32 and the selection int8."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    y = tl.maximum(x, 1)
    y = y * 100
    tl.store(Y + cols, y, mask=mask)
# shared: run


# case: half_divided
# expect: not applied, type-is-unknown
"""Some versions of Triton divide fp16 as fp16."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float16) / 2
    y = tl.maximum(x, 0.1)
    tl.store(Y + cols, y, mask=cols < N)


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
