import torch
import triton
import triton.language as tl


# case: cleared_by_another_condition
# expect: silent
"""Whether the condition implies the mask is not known: nothing is said."""


@triton.jit
def kernel(X, Y, stride, N, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    x = tl.where(cols < K, x, 0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# case: cleared_by_more_than_the_mask
# like: other_is_given
# expect: silent
"""The condition is the mask and something else."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#+    mask = cols < N
#+    x = tl.load(X + row * stride + cols, mask=mask)
#+    x = tl.where(mask & (cols > row), x, 0.0)


# case: cleared_by_the_mask
# like: other_is_given
# expect: silent
"""The lanes are cleared by the mask itself."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row, tl.sum(x, axis=0))
#+    mask = cols < N
#+    x = tl.load(X + row * stride + cols, mask=mask)
#+    x = tl.where(mask, x, -float("inf"))
#+    tl.store(Y + row, tl.max(x, axis=0))


# case: cleared_by_the_mask_spelled_otherwise
# like: other_is_given
# expect: silent
"""The same condition, written in another way."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#+    x = tl.load(X + row * stride + cols, mask=cols < N)
#+    x = tl.where(N - 1 >= cols, tl.exp(x), 0.0)


# case: cleared_for_short_rows
# like: cleared_for_one_type
# expect: silent
"""Where they are not cleared, no lane may be left."""
#-    whole = x.dtype == torch.float32
#-    kernel[(m,)](x, y, n, CLEARED=whole, BLOCK=triton.next_power_of_2(n))
#+    block = triton.next_power_of_2(n)
#+    kernel[(m,)](x, y, n, CLEARED=n != block, BLOCK=block)


# case: cleared_in_a_helper
# expect: silent
"""A helper of the file clears the lanes."""

import triton
import triton.language as tl


@triton.jit
def cleared(x, mask):
    return tl.where(mask, x, 0.0)


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = cleared(tl.load(X + row * stride + cols, mask=mask), mask)
    tl.store(Y + row, tl.sum(x, axis=0))


# case: cleared_where_it_is_off
# like: other_is_given
# expect: silent
"""The condition is the opposite of the mask."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#+    x = tl.load(X + row * stride + cols, mask=cols < N)
#+    x = tl.where(cols >= N, 0.0, x * x)


# case: no_mask
# expect: silent
"""Every lane is loaded."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(X + row * stride + tl.arange(0, BLOCK))
    tl.store(Y + row, tl.sum(x, axis=0))


# case: nothing_is_reduced
# expect: silent
"""Masked off lanes are not stored either."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask)
    tl.store(Y + row * stride + cols, x * 2, mask=mask)


# case: other_is_given
# expect: silent
"""The padding is 0."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: scan_from_the_start
# like: largest_magnitude
# expect: silent
"""A scan comes to the lanes that are not there when it has passed all others."""
#-import torch

#-    tl.store(Y + row, tl.max(tl.abs(x), axis=0))
#+    tl.store(Y + row * stride + cols, tl.cumsum(tl.exp(x), 0), mask=cols < N)


# case: side_that_is_not_taken
# expect: silent
"""Every launch takes the side whose lanes are defined."""


@triton.jit
def kernel(X, Y, N, PADDED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if PADDED:
        x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf"))
    else:
        x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row, tl.max(x, axis=0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, PADDED=True, BLOCK=triton.next_power_of_2(n))
    return y


# case: the_whole_tile_is_off
# expect: silent
"""The mask is one for the program: all lanes are there, or none."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=(row < N) & (cols >= 0))
    tl.store(Y + row, tl.sum(x, axis=0), mask=row < N)


# case: tiles_are_whole
# like: gathered_in_a_loop
# expect: silent
"""The launcher takes only rows of whole tiles, so the mask is always on."""
#-        total += tl.load(X + row * stride + cols, mask=cols < N).to(tl.float32)
#+        total += tl.load(X + row * stride + cols, mask=cols < N)
#     m, n = x.shape
#+    assert n % 128 == 0
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=128)


# case: whole_rows_are_off
# expect: silent
"""Rows past the end are undefined as a whole, and nobody stores them."""


@triton.jit
def kernel(X, Y, M, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + rows[:, None] * BLOCK + cols[None, :], mask=rows[:, None] < M)
    tl.store(Y + rows, tl.sum(x, axis=1), mask=rows < M)


# case: other_is_the_identity
# expect: silent
"""Each reduction takes in its identity."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y, tl.sum(e, axis=0))
    s = tl.load(X + c, mask=c < N, other=0.0)
    tl.store(Y + 1, tl.sum(s * s, axis=0))
    m = tl.load(X + c, mask=c < N, other=float("inf"))
    tl.store(Y + 2, tl.min(m, axis=0))


# case: other_is_cleared
# expect: silent
"""The lanes are replaced before they are taken in."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    mask = c < N
    x = tl.load(X + c, mask=mask, other=0.0)
    d = tl.where(mask, x - tl.sum(x, axis=0) / N, 0.0)
    tl.store(Y, tl.sum(d * d, axis=0))
    tl.store(Y + 1, tl.max(tl.where(c < N, x, float("-inf")), axis=0))


# case: other_below_what_is_reduced
# expect: silent
"""A size is not below 0."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=0.0)
    tl.store(Y, tl.max(tl.abs(x), axis=0))
    tl.store(Y + 1, tl.max(x * x, axis=0))


# case: other_of_a_row_that_is_off
# expect: silent
"""Rows beyond the last are reduced, and not stored."""


@triton.jit
def k(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + r[:, None] * BLOCK + c[None, :], mask=r[:, None] < M, other=0.0)
    tl.store(Y + r, tl.max(x, axis=1), mask=r < M)


# case: other_below_what_another_kernel_made
# expect: silent
"""The parts are maxima of sizes, as whoever wrote the 0 knows."""


@triton.jit
def parts(X, Mid, N, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    c = p * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=0.0)
    tl.store(Mid + p, tl.max(tl.abs(x), axis=0))


@triton.jit
def whole(Mid, Y, P, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y, tl.max(tl.load(Mid + c, mask=c < P, other=0.0), axis=0))


def launch(x: torch.Tensor):
    n = x.numel()
    p = triton.cdiv(n, 64)
    mid, y = torch.empty(p, device=x.device), torch.empty(1, device=x.device)
    parts[(p,)](x, mid, n, BLOCK=64)
    whole[(1,)](mid, y, p, BLOCK=triton.next_power_of_2(p))
    return y


# case: other_that_is_chosen
# expect: silent
"""What is given is the least number of the type, or may be."""


@triton.jit
def k(X, Y, N, LEAST: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y, tl.max(tl.load(X + c, mask=c < N, other=LEAST), axis=0))


def launch(x: torch.Tensor, least):
    y = torch.empty(1, device=x.device)
    k[(1,)](x, y, x.numel(), LEAST=least, BLOCK=1024)
    return y


# case: other_of_the_last_part
# expect: silent
"""The lanes outside the row have summed the parts before it."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for _ in range(N // BLOCK):
        acc += tl.load(X + c)
        c += BLOCK
    acc += tl.load(X + c, mask=c < N, other=0.0)
    tl.store(Y, tl.sum(acc, axis=0))


# case: whole_numbers_times_zeros
# like: cleared_product_with_zeros
# expect: silent
"""Any whole number times 0 is 0, and so is an outcome of a comparison."""
#-def kernel(X, W, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, W, Y, Z, N, BLOCK: tl.constexpr):
#-    tl.store(Y, tl.sum(tl.where(mask, x * w, 0.0), axis=0))
#+    tl.store(Y, tl.sum((x > 0).to(tl.float32) * w, axis=0))
#+    tl.store(Z, tl.sum(x.to(tl.int32) * mask.to(tl.int32), axis=0))


# case: cleared_product_with_zeros
# expect: silent
"""The product is cleared, whatever it is."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    mask = c < N
    x = tl.load(X + c, mask=mask)
    w = tl.load(W + c, mask=mask, other=0.0)
    tl.store(Y, tl.sum(tl.where(mask, x * w, 0.0), axis=0))


# case: largest_index
# expect: silent
"""What is an index elsewhere is not below 0."""


@triton.jit
def kernel(X, Top, Counts, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(X + offs, mask=offs < n, other=0)
    tl.atomic_max(Top, tl.max(index, axis=0))
    tl.atomic_add(Counts + index, 1, mask=offs < n)


def launch(x, counts):
    n = x.numel()
    x = x.contiguous()
    top = torch.zeros((1,), device=x.device, dtype=x.dtype)
    kernel[(triton.cdiv(n, 64),)](x, top, counts, n, BLOCK=64)
    return top


# case: sum_of_neutral_rows
# expect: silent
"""Lanes that are masked off hold 0, and so does each sum over their columns."""


@triton.jit
def kernel(A, X, Y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    ok = i < n
    a = tl.load(A + i[:, None] * n + i[None, :], mask=ok[:, None] & ok[None, :], other=0.0)
    x = tl.load(X + tl.program_id(0) * n + i, mask=ok, other=0.0)
    rest = x - tl.sum(a * x[:, None], axis=0)
    tl.store(Y + tl.program_id(0), tl.sum(rest * rest))


def launch(a, x):
    m, n = x.shape
    a, x = a.contiguous(), x.contiguous()
    y = torch.empty((m,), device=x.device)
    kernel[(m,)](a, x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: scores_cleared_after_the_product
# expect: silent
"""The scores of keys after the last are minus infinity, in a tile of pointers and in a block."""


@triton.jit
def kernel(Q, K, Y, N, D: tl.constexpr, BLOCK: tl.constexpr):
    d = tl.arange(0, D)
    m = tl.arange(0, BLOCK)
    q = tl.load(Q + m[:, None] * D + d[None, :])
    block = tl.make_block_ptr(K, (D, N), (1, D), (0, 0), (D, BLOCK), (0, 1))
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        n = start + tl.arange(0, BLOCK)
        k = tl.load(K + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        s = tl.where(n[None, :] < N, tl.dot(q, tl.trans(k)), float("-inf"))
        b = tl.load(block, boundary_check=(1,), padding_option="zero")
        t = tl.where(n[None, :] < N, tl.dot(q, b), float("-inf"))
        total += tl.sum(tl.exp(s) + tl.exp(t), 1)
        block = tl.advance(block, (0, BLOCK))
    tl.store(Y + m, total)


# case: only_the_maximum_sees_the_zero
# expect: silent
"""A maximum that is too large is subtracted and added again; the sum is cleared."""


@triton.jit
def kernel(Q, K, Y, N, D: tl.constexpr, BLOCK: tl.constexpr):
    d = tl.arange(0, D)
    n = tl.arange(0, BLOCK)
    q = tl.load(Q + d)
    k = tl.load(K + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
    s = tl.sum(q[None, :] * k, 1)
    best = tl.max(s, 0)
    tl.store(Y, best + tl.log(tl.sum(tl.where(n < N, tl.exp(s - best), 0.0), 0)))


def launch(q, k):
    y = torch.empty(1, device=q.device)
    kernel[(1,)](q, k, y, k.shape[0], D=64, BLOCK=triton.next_power_of_2(k.shape[0]))
    return y


# case: rows_that_follow_each_other
# expect: silent
"""The length is that of whole rows, so no row is masked in part."""


@triton.jit
def kernel(X, Y, length, ROWS: tl.constexpr, GROUP: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
    x = tl.load(X + at, mask=at < length)
    tl.store(Y + row, tl.max(x, axis=1), mask=row < length // GROUP)


# case: longest_of_some_lengths
# expect: silent
"""What bounds a loop is an integer, and no length is below 0."""


@triton.jit
def kernel(L, X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for i in range(tl.max(tl.load(L + c, mask=c < N, other=0), axis=0)):
        acc += tl.load(X + i * BLOCK + c)
    tl.store(Y + c, acc)


def launch(lengths, x):
    n = lengths.shape[0]
    y = torch.empty(64, device=x.device)
    kernel[(1,)](lengths, x, y, n, BLOCK=64)
    return y
