import torch
import triton
import triton.language as tl


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: cleared_along_the_other_axis
# verify: no, it has no launcher
"""The lanes are cleared, but those of the rows."""


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + rows[:, None] * stride + cols[None, :],
        mask=(rows[:, None] < M) & (cols[None, :] < N),
    )
    x = tl.where(rows[:, None] < M, x, 0.0)
    tl.store(Y + rows, tl.sum(x, axis=1), mask=rows < M)


# case: cleared_for_one_type
"""The lanes are cleared on one side alone, and either is taken whatever the length is."""


@triton.jit
def kernel(X, Y, N, CLEARED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.exp(tl.load(X + row * N + cols, mask=cols < N))
    if CLEARED:
        x = tl.where(cols < N, x, 0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    whole = x.dtype == torch.float32
    kernel[(m,)](x, y, n, CLEARED=whole, BLOCK=triton.next_power_of_2(n))
    return y


# case: exponentials
# like: sum_of_a_row
# verify: counterexample, the original takes in a 0 that GPUs read there
"""exp(0) is 1, so what hardware puts into the lanes counts."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N)
#-    tl.store(Y + row, tl.sum(x, axis=0))
#+    x = tl.load(X + row * stride + cols, mask=cols <= N - 1)
#+    tl.store(Y + row, tl.sum(tl.exp(x)))


# case: gathered_in_a_loop
"""Lanes are added up over a loop, and reduced after it."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N).to(tl.float32)
    tl.store(Y + row, tl.sum(total))
# shared: launch


# case: largest_magnitude
# verify: no, it has no launcher
"""No magnitude is below 0: the 0 that GPUs read changes nothing."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row, tl.max(tl.abs(x), axis=0))


# case: maximum_as_a_method
# verify: counterexample, the original takes in a 0 that GPUs read there
"""A maximum, as a method, of a load with the mask by position."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * stride
    cols = tl.arange(0, BLOCK)
    inside = N > cols
    x = tl.load(X + cols, inside).to(tl.float32)
    tl.store(Y + tl.program_id(0), x.max(0))
# shared: launch


# case: maximum_of_rows_numbered_in_64_bits
# like: sum_of_a_row
# verify: counterexample, the original takes in a 0 that GPUs read there
"""The row is an integer, and what is loaded is not."""
#-    row = tl.program_id(0)
#+    row = tl.program_id(0).to(tl.int64)
#-    tl.store(Y + row, tl.sum(x, axis=0))
#+    tl.store(Y + row, tl.max(x, axis=0))


# case: position_of_the_least
# verify: no, it has no launcher
"""The position of the least element, with names imported one by one."""

import triton
from triton.language import arange, argmin, constexpr, load, program_id, store


@triton.jit
def kernel(X, Y, stride, N, BLOCK: constexpr):
    row = program_id(0)
    cols = arange(0, BLOCK)
    x = load(X + row * stride + cols, mask=cols < N)
    store(Y + row, argmin(x, axis=0))


# case: product_of_a_row
# verify: no, it has no launcher
"""A product with 0 is 0."""


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row, tl.reduce(x, 0, multiply))


# case: rows_and_columns
"""A tile that is masked along both axes, reduced along the columns."""


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(X + rows * stride + cols, mask=mask)
    tl.store(Y + rows, tl.sum(x, axis=1)[:, None], mask=rows < M)


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(triton.cdiv(m, 4),)](x, y, x.stride(0), m, n, ROWS=4, BLOCK=block)
    return y


# case: sum_of_a_row
"""A row and its padding are summed."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row, tl.sum(x, axis=0))
# shared: launch


# case: two_loads_of_one_sum
# verify: no, it has no launcher
"""Said once, though two loads leave lanes undefined."""


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask)
    w = tl.load(W + cols, mask=mask)
    tl.store(Y + row, tl.sum(x * w, axis=0))


# case: other_of_a_softmax
# verify: counterexample, the maximum of negative numbers is wrong
"""Lanes outside the row are 0, in the maximum and in the sum of the exponentials."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + c, mask=c < N, other=0.0)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + row * N + c, e / tl.sum(e, axis=0), mask=c < N)


# tritonopt: x: f32[m, n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    k[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: other_of_a_variance
# like: other_of_a_softmax
# verify: counterexample, each lane outside the row adds the squared mean
"""A 0 suits the mean, and the variance needs another one."""
#-    x = tl.load(X + row * N + c, mask=c < N, other=0.0)
#-    e = tl.exp(x - tl.max(x, axis=0))
#-    tl.store(Y + row * N + c, e / tl.sum(e, axis=0), mask=c < N)
#+    mask = c < N
#+    x = tl.load(X + row * N + c, mask=mask, other=0.0).to(tl.float32)
#+    d = x - tl.sum(x, axis=0) / N
#+    tl.store(Y + row, tl.sum(d * d, axis=0) / N)
#-    y = torch.empty_like(x)
#+    y = torch.empty(m, device=x.device)


# case: variance_of_a_row
# verify: no, it has no launcher
"""Lanes that are not there deviate by the whole mean, and no other= can help: they are cleared."""


@triton.jit
def kernel(X, Mean, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    deviation = x - tl.load(Mean + row)
    tl.store(Y + row, tl.sum(deviation * deviation, axis=0) / N)


# case: other_of_a_product
# verify: counterexample, the product is 0
"""One suits a product, and nothing else is done with the lanes."""


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, c < N, 0.0)
    tl.store(Y, tl.reduce(x, 0, times))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    n = x.numel()
    y = torch.empty(1, device=x.device)
    k[(1,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: other_of_a_maximum_and_a_sum
# verify: counterexample, the maximum of negative numbers is wrong
"""The sum wants a 0, so the lanes are cleared for the maximum."""


@triton.jit
def k(X, Y, Z, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=0.0)
    tl.store(Y, tl.max(x, axis=0))
    tl.store(Z, tl.sum(x, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    n = x.numel()
    y, z = torch.empty(1, device=x.device), torch.empty(1, device=x.device)
    k[(1,)](x, y, z, n, BLOCK=triton.next_power_of_2(n))
    return y, z


# case: other_of_a_least_index
# verify: counterexample, the index is that of a lane outside the row
"""Where all numbers are positive, the least one is outside the row."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=0.0)
    tl.store(Y, tl.argmin(x, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    n = x.numel()
    y = torch.empty(1, dtype=torch.int32, device=x.device)
    k[(1,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: other_that_a_product_of_tiles_needs
# verify: counterexample, the maximum of negative numbers is wrong
"""The 0 is right for the matrix product; only the maximum is cleared."""


@triton.jit
def k(X, W, Y, Z, N, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)[:, None]
    j = tl.arange(0, BLOCK)[None, :]
    mask = (i < BLOCK) & (j < N)
    x = tl.load(X + i * N + j, mask=mask, other=0.0)
    w = tl.load(W + i * BLOCK + j)
    tl.store(Y + i * BLOCK + j, tl.dot(x, w))
    tl.store(Z + tl.arange(0, BLOCK), tl.max(x, axis=1))


# tritonopt: x: f32[16, n], w: f32[16, 16]
def launch(x: torch.Tensor, w: torch.Tensor):
    n = x.shape[1]
    x, w = x.contiguous(), w.contiguous()
    assert n <= 16
    y, z = torch.empty(16, 16, device=x.device), torch.empty(16, device=x.device)
    k[(1,)](x, w, y, z, n, BLOCK=16)
    return y, z


# case: other_that_is_minus_infinity
# verify: no, it has no launcher
"""What suits a maximum makes the sum minus infinity."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=-float("inf"))
    tl.store(Y, tl.sum(x, axis=0))


# case: masked_on_one_side_of_an_if
"""Only the last tile is masked, and it is summed like the others."""


@triton.jit
def kernel(X, Y, stride, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(X + row * stride + cols)
    else:
        x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row, tl.sum(x, 0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, y, x.stride(0), n, EVEN=n == block, BLOCK=block)
    return y


# case: a_factor_is_padded_with_zeros
# like: two_loads_of_one_sum
# verify: no, it has no launcher
"""The other factor is 0 on these lanes, and 0 times what is undefined may be NaN."""
#-    w = tl.load(W + cols, mask=mask)
#+    w = tl.load(W + cols, mask=mask, other=0.0)


# case: the_mask_is_a_factor
# like: sum_of_a_row
"""What is undefined is multiplied by 0, which a NaN survives."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N)
#-    tl.store(Y + row, tl.sum(x, axis=0))
#+    mask = cols < N
#+    x = tl.load(X + row * stride + cols, mask=mask)
#+    tl.store(Y + row, tl.sum(x * mask.to(tl.float32), axis=0))


# case: equal_where_both_are_off
# verify: no, it has no launcher
"""Lanes that are not there are equal in both rows, and are counted."""

@triton.jit
def k(X, T, Y, stride, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    t = tl.load(T + r * stride + c, mask=c < N)
    x = tl.load(X + r * stride + c, mask=c < N)
    tl.store(Y + r, tl.sum((x == t).to(tl.int32), 0))


# case: gradients_of_a_layer_norm
"""Each load is a factor of another one that gets its 0: all of them need one."""


@triton.jit
def kernel(G, X, Mean, W, DX, DW, M, N, SCALED: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    places = rows[:, None] * N + cols[None, :]
    inside = (rows < M)[:, None] & (cols < N)[None, :]
    g = tl.load(G + places, mask=inside)
    x = tl.load(X + places, mask=inside)
    mean = tl.load(Mean + rows, mask=rows < M)
    deviation = x - mean[:, None]
    if SCALED:
        scaled = g * tl.load(W + cols, mask=cols < N)
    else:
        scaled = g
    part = tl.sum(deviation * scaled, axis=1)
    tl.store(DX + places, scaled - deviation * part[:, None], mask=inside)
    tl.store(DW + tl.program_id(0) * N + cols, tl.sum(g * deviation, axis=0), mask=cols < N)


# tritonopt: g: f32[m, n], x: f32[m, n], mean: f32[m], w: f32[n]
def launch(g: torch.Tensor, x: torch.Tensor, mean: torch.Tensor, w: torch.Tensor):
    g, x, mean, w = g.contiguous(), x.contiguous(), mean.contiguous(), w.contiguous()
    m, n = x.shape
    blocks = triton.cdiv(m, 4)
    dx, dw = torch.empty_like(x), torch.empty(blocks, n, device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(blocks,)](g, x, mean, w, dx, dw, m, n, SCALED=True, ROWS=4, BLOCK=block)
    return dx, dw


# case: maximum_beside_a_product_with_zeros
# verify: counterexample, the original takes in a 0 that GPUs read there
"""Minus infinity suits the maximum, and times 0 it is NaN: the lanes are cleared."""


@triton.jit
def k(X, W, Y, Z, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N)
    w = tl.load(W + c, mask=c < N, other=0.0)
    tl.store(Y, tl.max(x, axis=0))
    tl.store(Z, tl.sum(x * w, axis=0))


# tritonopt: x: f32[n], w: f32[n]
def launch(x: torch.Tensor, w: torch.Tensor):
    n = x.numel()
    y, z = torch.empty(1, device=x.device), torch.empty(1, device=x.device)
    k[(1,)](x, w, y, z, n, BLOCK=triton.next_power_of_2(n))
    return y, z


# case: products_gathered_in_a_loop
# verify: no, it has no launcher
"""One factor is 0 in the lanes that are added up, and the other is anything."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        acc += tl.load(X + c, mask=c < N) * tl.load(W + c, mask=c < N, other=0.0)
    tl.store(Y, tl.sum(acc, axis=0))


# case: times_a_given_expression
# verify: no, it has no launcher
"""What one load gives is for the caller to say; the other one gives a 0."""


@triton.jit
def kernel(X, W, Y, N, FILL: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=FILL)
    w = tl.load(W + c, mask=c < N)
    tl.store(Y, tl.sum(x * w, axis=0))


# case: maximum_of_a_tile_and_a_row
# verify: no, it has no launcher
"""The mask of the tile clears what the row leaves undefined too."""


@triton.jit
def kernel(X, W, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=inside)
    w = tl.load(W + cols, mask=cols < N)
    tl.store(Y + rows, tl.max(x + w[None, :], axis=1), mask=rows < M)


# case: one_factor_is_cleared
# verify: no, it has no launcher
"""The cleared load needs nothing more."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    mask = c < N
    x = tl.where(mask, tl.load(X + c, mask=mask), 0.0)
    w = tl.load(W + c, mask=mask)
    tl.store(Y, tl.sum(x * w, axis=0))


# case: a_load_that_is_not_reduced
# verify: no, it has no launcher
"""It reaches no reduction, and stays as it is."""


@triton.jit
def kernel(X, W, Y, Z, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    mask = c < N
    x = tl.load(X + c, mask=mask)
    w = tl.load(W + c, mask=mask)
    tl.store(Z + c, w * tl.sum(x, axis=0), mask=mask)
