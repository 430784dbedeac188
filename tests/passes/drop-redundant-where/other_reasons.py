import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: comment_behind
# expect: not applied, comment-inside
"""The comment behind the statement would go with it."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    x = tl.where(mask, x, 0.0)  # the sum of a row must not see the next one
    tl.store(Y, tl.sum(x, axis=0))


# case: comment_inside
# like: exponential_of_zero
# expect: not applied, comment-inside
"""A comment on the mask would go with it."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(
#+        mask,  # the row's own lanes
#+        x * w,
#+        0.0,
#+    )


# case: infinity_times_zero
# like: exponential_of_zero
# expect: not applied, constant-is-special
"""-inf * 0 is NaN."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#+    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(mask, x * w, 0.0)


# case: helper_gives_the_condition_and_stores
# like: helper_clears_to_another_number
# expect: not applied, effect-inside
"""The helper that gives the condition stores before it does."""
#-def cleared(mask, x, other):
#-    return tl.where(mask, x, other + 1.0)
#+def marked(mask, OUT):
#+    tl.store(OUT, 1.0)
#+    return mask
#-    tl.store(OUT + row, tl.sum(cleared(mask, x * w, 0.0)))
#+    tl.store(OUT + row * (N + 1) + 1 + cols, tl.where(marked(mask, OUT + row * (N + 1)), x * w, 0.0), mask=mask)
#-    out = torch.empty(m, device=x.device)
#+    out = torch.empty(m, n + 1, device=x.device)


# case: exponential_of_zero
# expect: not applied, function-is-rounded
"""exp(0) is not 0 at all."""


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    value = tl.where(mask, tl.exp(x), 0.0)
    tl.store(OUT + row * N + cols, value, mask=mask)
# shared: run


# case: logarithm
# like: exponential_of_zero
# expect: not applied, function-is-rounded
"""log(1 + 0) is 0, but only as far as the hardware's logarithm is."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(mask, tl.log(1.0 + x * x), 0.0)


# case: no_mask
# expect: not applied, load-is-not-masked
"""One of the loads reads past the end, whatever is there."""


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0)
    w = tl.load(W + cols % N)
    value = tl.where(mask, x * w, 0.0)
    tl.store(OUT + row * N + cols, value, mask=mask)
# shared: run


# case: no_other
# like: exponential_of_zero
# expect: not applied, no-other
"""One of the loads has no `other=`: its masked lanes are undefined, and 0 * NaN is NaN."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#+    x = tl.load(X + row * N + cols, mask=mask).to(tl.float32)
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(mask, x * w, 0.0)


# case: only_statement
# like: exponential_of_zero
# expect: not applied, not-expressible
"""The statement that would go is the only one of its block."""
#-def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
#+def kernel(X, W, OUT, N, CLEAR: tl.constexpr, BLOCK: tl.constexpr):
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = x * w
#+    if CLEAR:
#+        value = tl.where(mask, value, 0.0)
#-    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, w, out, n, True, BLOCK=triton.next_power_of_2(n))


# case: minus_zero_is_wanted
# like: exponential_of_zero
# expect: not applied, other-value
"""The other branch is -0.0, and the load has put 0.0 there."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(mask, x * w, -0.0)


# case: negative_zero
# like: exponential_of_zero
# expect: not applied, other-value
"""0 * -1 is -0.0, and 1 / x tells it from 0.0."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(mask, -x, 0.0)
#+    value = 1.0 / value


# case: other_is_one
# like: no_mask
# expect: not applied, other-value
"""The product of the loads is 1 there."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0)
#-    w = tl.load(W + cols % N)
#+    x = tl.load(X + row * N + cols, mask=mask, other=1.0).to(tl.float32)
#+    w = tl.load(W + cols, mask=mask, other=1.0).to(tl.float32)


# case: booleans_cleared_by_an_integer
# expect: not applied, safety
"""Booleans would become int32 here: their sum is 2; without the tl.where True."""


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0)
    y = tl.where(mask, x, 0)
    tl.store(Y + cols, y + y, mask=mask)


def run(x: torch.Tensor, z: torch.Tensor):
    y = torch.empty_like(x, dtype=torch.int32)
    n = x.numel()
    kernel[(1,)](x, z, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: cast_and_printed
# like: integers_cleared_by_a_float
# expect: not applied, safety
"""The result is printed too, where its type shows."""
#-    tl.store(Y + cols, y, mask=mask)
#+    tl.device_print("y", y)
#+    tl.store(Y + cols, y.to(tl.float32), mask=mask)
#-# tritonopt: x: i32[n], z: i32[n]
#+# tritonopt: x: f32[n], z: f32[n]


# case: integers_cleared_by_a_float
# expect: not applied, type-changes
"""Integers, cleared by a float as by an integer, would become fp32 here and stay integers without."""


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    z = tl.load(Z + cols, mask=mask, other=0.0)
    y = tl.where(mask, x * z, 0.0)
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: i32[n], z: i32[n]
def run(x: torch.Tensor, z: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(1,)](x, z, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: mask_widens_the_tile
# expect: not applied, shape-changes
"""The condition is 2-D and the value a row of it: without the `tl.where` it would stay a row."""


@triton.jit
def kernel(X, OUT, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols[None, :], mask=cols[None, :] < N, other=0.0).to(tl.float32)
    same = (cols[None, :] < N) | (rows[:, None] < 0)
    value = tl.where(same, x * x, 0.0)
    tl.store(OUT, tl.sum(tl.sum(value, axis=1), axis=0))


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    n = x.numel()
    out = torch.empty(1, device=x.device)
    kernel[(1,)](x, out, 4, n, ROWS=4, BLOCK=triton.next_power_of_2(n))
    return out


# case: booleans_become_integers
# like: exponential_of_zero
# expect: not applied, type-changes
"""A tile of booleans becomes int32 by the 0."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    x = tl.load(X + row * N + cols, mask=mask, other=0)
#+    value = tl.where(mask, x, 0)
#-    x = x.contiguous()
#-    out = torch.empty_like(x)
#+    x = x.contiguous().bool()
#+    out = torch.empty_like(x, dtype=torch.int32)


# case: integers_become_floats
# like: no_mask
# expect: not applied, type-changes
"""The data are integers by the launch: with 0.0 the product is fp32, and without an integer that overflows."""
#-    w = tl.load(W + cols % N)
#-    value = tl.where(mask, x * w, 0.0)
#+    w = tl.load(W + cols, mask=mask, other=0.0)
#+    value = tl.where(mask, x * w, 0.0) / 3.0
#-    x = x.contiguous()
#-    out = torch.empty_like(x)
#+    x = x.contiguous().to(torch.int32)
#+    w = w.int()
#+    out = torch.empty_like(x, dtype=torch.float32)
