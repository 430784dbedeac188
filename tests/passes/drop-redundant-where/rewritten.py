import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: augmented_sum
"""The masks are written out each time, in a loop, and the sum is taken in place."""


@triton.jit
def kernel(X, Y, OUT, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        y = tl.load(Y + cols, cols < N, 0.0).to(tl.float32)
        acc += tl.where(cols < N, x * y, 0.0)
        acc += tl.where(cols < N, x=x * x + y, y=0.0)
    tl.store(OUT + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m, n], y: f32[m, n]
def run(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, out, x.stride(0), n, BLOCK=16)
    return out


# case: chosen_by_a_flag
"""Whichever tensor is loaded, it is 0 past the end: a ternary, an `if`, and a nested `tl.where`."""


@triton.jit
def kernel(X, W, OUT, N, HAS_W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    if HAS_W:
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    else:
        w = x
    value = tl.where(mask, x * w, 0.0)
    gated = tl.where(mask, tl.where(cols > 3, x, w) * (w if HAS_W else x), 0.0)
    tl.store(OUT + row, tl.sum(value, axis=0) - tl.sum(gated, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, w, out, n, HAS_W=True, BLOCK=triton.next_power_of_2(n))
    return out


# case: dot_of_rows
"""Both factors are 0 past the end of the row, so their product is. The mask goes on being used."""


@triton.jit
def row_dot_kernel(x_ptr, w_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    products = tl.where(mask, x * w, 0.0)  # only what is in the row
    tl.store(out_ptr + row, tl.sum(products, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def row_dot(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    row_dot_kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: exponential_of_minus_infinity
"""exp(-inf) is 0, and the sum of exponentials needs no mask of its own."""


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.where(mask, tl.exp(x - 1.0), 0.0)
    tl.store(OUT + row, tl.sum(numerator, axis=0))
# shared: run


# case: helper_loads
"""The loads are in a helper of the file, and another helper clears what it has loaded itself."""


@triton.jit
def load_row(ptr, cols, n):
    return tl.load(ptr + cols, mask=cols < n, other=0.0).to(tl.float32)


@triton.jit
def load_squares(ptr, cols, mask):
    x = tl.load(ptr + cols, mask=mask, other=0.0).to(tl.float32)
    return tl.where(mask, x * x, 0.0)


@triton.jit
def kernel(x_ptr, w_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = load_row(x_ptr + row * n, cols, n)
    w = load_row(w_ptr, cols, n)
    xw = tl.where(cols < n, x * w, 0.0)
    squares = load_squares(x_ptr + row * n, cols, cols < n)
    tl.store(out_ptr + row, tl.sum(xw, axis=0) + tl.sum(squares, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: integer_counts
"""Integers of known type: the sum of two loads that are 0 there, and an integer other branch."""


@triton.jit
def kernel(A, B, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    a = tl.load(A + row * N + cols, mask=mask, other=0).to(tl.int32)
    b = tl.load(B + cols, mask=mask, other=0).to(tl.int32)
    both = tl.where(mask, a + b * 2, 0)
    tl.store(OUT + row, tl.sum(both, axis=0))


# tritonopt: a: i32[m, n], b: i32[n]
def run(a: torch.Tensor, b: torch.Tensor):
    m, n = a.shape
    a = a.contiguous()
    out = torch.empty(m, dtype=torch.int32, device=a.device)
    kernel[(m,)](a, b, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: minus_infinity_stays
"""The other branch is -inf, and so is what the load has put there; the condition is negated."""


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf"))
    scores = tl.where(cols >= N, float("-inf"), x * 2.0 - 1.0)
    tl.store(OUT + row, tl.max(scores, axis=0))
# shared: run


# case: over_several_lines
# like: exponential_of_zero
"""The expression is on several lines: without the call around it, it needs parentheses."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#-    tl.store(OUT + row * N + cols, value, mask=mask)
#+    value = tl.where(
#+        mask,
#+        x * w
#+        + w,
#+        0.0,
#+    )
#+    scaled = 2.0 * tl.where(mask, x + w, 0.0)
#+    tl.store(OUT + row * N + cols, value + scaled, mask=mask)


# case: pointer_bumping
"""Pointers and lanes are bumped, so that the mask is another in every iteration: but one for both
loads and the condition, which is written out in other words."""


@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    xs = x_ptr + row * n + lanes
    ys = y_ptr + row * n + lanes
    left = n
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for _ in range(tl.cdiv(n, BLOCK)):
        x = tl.load(xs, mask=lanes < left, other=0.0).to(tl.float32)
        y = tl.load(ys, mask=lanes < left, other=0.0).to(tl.float32)
        acc = acc + tl.where(left > lanes, x * y, 0.0)
        xs += BLOCK
        ys += BLOCK
        left -= BLOCK
    tl.store(out_ptr + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m, n], y: f32[m, n]
def run(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, out, n, BLOCK=16)
    return out


# case: relu_of_the_load
# like: exponential_of_minus_infinity
"""A maximum, a minimum and a quotient of what is 0 there, and a tile of zeros as the other branch."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=-float("inf")).to(tl.float32)
#-    numerator = tl.where(mask, tl.exp(x - 1.0), 0.0)
#-    tl.store(OUT + row, tl.sum(numerator, axis=0))
#+    zeros = tl.zeros([BLOCK], dtype=tl.float32)
#+    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#+    capped = tl.where(mask, tl.minimum(tl.maximum(x, 0.0), 6.0), zeros)
#+    leaky = tl.where(mask, tl.where(x > 0.0, x, 0.1 * x), 0.0)
#+    scaled = tl.where(mask, capped / 6.0, 0.0)
#+    tl.store(OUT + row, tl.sum(scaled + leaky, axis=0))


# case: row_tiles
"""2-D tiles under a product of masks; the condition is the product, or just the columns' part."""


@triton.jit
def kernel(X, W, OUT, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < M
    total = tl.zeros([ROWS], dtype=tl.float32)
    for start in tl.range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        col_mask = cols < N
        mask = row_mask[:, None] & col_mask[None, :]
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=col_mask, other=0.0).to(tl.float32)
        total += tl.sum(tl.where(mask, x * tl.abs(x), 0.0), axis=1)
        total += tl.sum(tl.where(col_mask[None, :], x * w[None, :], 0.0), axis=1)
    tl.store(OUT + rows, total, mask=row_mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, w, out, m, n, ROWS=4, BLOCK=16)
    return out


# case: statement_goes
"""`x = tl.where(mask, x, 0.0)` would become `x = x`, so it goes; the comment above it stays. The
load itself is wrapped in another, of which nothing is known but that fp32 is made of it."""

import torch
import triton.language as T
from triton import jit, next_power_of_2
from triton.language import constexpr


@jit
def kernel(x_ptr, w_ptr, out_ptr, n, BLOCK: constexpr):
    row = T.program_id(0)
    cols = T.arange(0, BLOCK)
    mask = cols < n
    x = T.load(x_ptr + row * n + cols, mask=mask, other=0.0).to(T.float32)
    # Lanes past the end do not count.
    x = T.where(mask, x, 0.0)
    w = T.where(mask, T.load(w_ptr + cols, mask=mask, other=0.0), 0.0).to(T.float32)
    T.store(out_ptr + row, T.sum(x, axis=0) + T.sum(w, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, w, out, n, BLOCK=next_power_of_2(n))
    return out


# case: taken_for_floats
# like: no_mask
# safety: assumption
"""Nothing shows the type of the data; a float for `other=` says what the author takes it for."""
#-    w = tl.load(W + cols % N)
#+    w = tl.load(W + cols, mask=mask, other=0.0)
#-    tl.store(OUT + row * N + cols, value, mask=mask)
#+    tl.store(OUT + row, tl.sum(value, axis=0))
#-    out = torch.empty_like(x)
#+    out = torch.empty(m, dtype=torch.float32, device=x.device)


# case: type_from_the_launch
# like: type_is_not_known
"""The loads have an integer `other=`, and the other branch is a float: the launch passes floats."""
#-    value = tl.where(mask, x * w, 0.0)
#-    tl.store(OUT + row * N + cols, value, mask=mask)
#+    xw = tl.where(mask, x * w, 0.0)
#+    tl.store(OUT + row, tl.sum(xw, axis=0))
#-    x = x.contiguous()
#-    out = torch.empty_like(x)
#+    x = x.contiguous().to(torch.float32)
#+    w = w.to(x.dtype)
#+    out = torch.empty(m, dtype=x.dtype, device=x.device)


# case: zero_is_a_constexpr
# like: integers_cleared_by_a_float
"""Annotated, a name stands for the number itself."""
#-    x = tl.load(X + cols, mask=mask, other=0.0)
#-    z = tl.load(Z + cols, mask=mask, other=0.0)
#-    y = tl.where(mask, x * z, 0.0)
#+    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
#+    z = tl.load(Z + cols, mask=mask, other=0.0).to(tl.float32)
#+    ZERO: tl.constexpr = 0.0
#+    y = tl.where(mask, x * z, ZERO)
#-# tritonopt: x: i32[n], z: i32[n]
#+# tritonopt: x: f32[n], z: f32[n]
