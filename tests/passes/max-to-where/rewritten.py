import torch
import triton
import triton.language as tl


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


# case: constant_first
"""The constant is the first operand. `tl.where(0.0 > x, 0.0, x)` would let a NaN through, so it
comes last all the same. The constants have names, in the module and in the kernel."""

import torch
import triton
from triton import language as tl

FLOOR = tl.constexpr(-2.5)
NOTHING = tl.constexpr(float("-inf"))


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    CEILING: tl.constexpr = 1.25
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    x = tl.maximum(FLOOR, x)
    x = tl.minimum(CEILING, x)
    x = tl.maximum(NOTHING, x)
    tl.store(Y + cols, x * 2.0, mask=cols < N)
# shared: run


# case: in_a_helper_that_casts
"""A helper clamps a variance, which it casts itself."""


@triton.jit
def inverse_root(var, eps):
    var = var.to(tl.float32)
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


# case: keywords_and_mode
"""Operands by keyword, in either order, a NaN mode that says what is the default, and
`triton.language` under a name of the file's own."""

import torch
import triton
import triton.language as T
from triton import jit
from triton.language import constexpr


@jit
def kernel(X, Y, N, BLOCK: constexpr):
    cols = T.program_id(0) * BLOCK + T.arange(0, BLOCK)
    x = T.load(X + cols, mask=cols < N, other=0.0).to(T.float32)
    a = T.maximum(y=x, x=-1.0)
    b = T.minimum(x, 0.1, propagate_nan=T.PropagateNan.NONE)
    c = T.maximum(x, 1.5, T.PropagateNan.NONE)
    T.store(Y + cols, a * b + c, mask=cols < N)
# shared: run


# case: minimum_with_zero
"""Of -0.0 and 0.0 the minimum is -0.0, and 1 / x tells one from the other: hence `<=`."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=1.0).to(tl.float32)
    low = tl.minimum(x, 0.0)
    high = tl.maximum(x, y=0.0)
    tl.store(Y + cols, 1.0 / low + 1.0 / high, mask=cols < N)
# shared: run


# case: relu
"""A ReLU over a row of fp32, with a comment behind it."""


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    y = tl.maximum(x, 0.0)  # NaN becomes 0
    tl.store(y_ptr + offsets, y * y, mask=mask)


# tritonopt: x: f32[n]
def relu_squared(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


# case: row_tiles_in_a_loop
"""A running maximum over 2-D tiles is kept from below, in a loop and in an augmented sum."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros([ROWS], dtype=tl.float32)
    for start in tl.range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
        tile = x.to(tl.float32)
        total += tl.sum(tl.maximum(tile, 0), axis=1)
        total = tl.maximum(total, 1e-6)
    tl.store(Y + rows, total, mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=16)
    return y


# case: stored_in_the_type_of_the_data
"""Nothing is known of the data's type, but 6.0 is 6.0 in all of them, and the result is only
stored, cast and compared."""


@triton.jit
def relu6_kernel(x_ptr, y_ptr, flag_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.maximum(x, 0.0)
    tl.store(y_ptr + offsets, y, mask=mask)
    wide = y.to(tl.float32) * 2.0
    tl.store(flag_ptr + offsets, (y > 6.0) & (wide > 1.0), mask=mask)


# tritonopt: x: f16[n]
def relu(x: torch.Tensor):
    y = torch.empty_like(x)
    flags = torch.empty(x.numel(), dtype=torch.bool, device=x.device)
    n = x.numel()
    relu6_kernel[(triton.cdiv(n, 32),)](x, y, flags, n, BLOCK=32)
    return y, flags


# case: taken_for_single
# safety: assumption
"""Nothing shows the type of the data; where assumptions are allowed it is taken for fp32."""


@triton.jit
def squared_relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.maximum(x, 0.0)
    z = tl.minimum(x, 6)
    tl.store(y_ptr + offsets, y * y + z, mask=mask)


# tritonopt: x: f32[n]
def relu(x: torch.Tensor):
    y = torch.empty_like(x, dtype=torch.float32)
    n = x.numel()
    squared_relu[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


# case: type_from_the_launch
"""The launcher casts to fp32 before it launches, and refuses all but fp32 for the other."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    w = tl.load(W + cols, mask=mask, other=0.0)
    x = tl.maximum(x, 0.1)
    w = tl.minimum(w, 3.3)
    tl.store(Y + cols, x * w, mask=mask)


# tritonopt: x: f32[n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    assert w.dtype == torch.float32, "weights are fp32"
    x = x.float().contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, w, y, n, BLOCK=32)
    return y
