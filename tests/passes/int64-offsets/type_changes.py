import torch
import triton
import triton.language as tl


# case: a_seed_of_random_numbers
# expect: not applied, type-changes
"""Random numbers depend on the type of their offsets."""


@triton.jit
def kernel(X, Y, seed, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask, other=0.0)
    kept = tl.rand(seed, offsets) > 0.5
    tl.store(Y + offsets, tl.where(kept, x, 0.0), mask=mask)


def launch(x, seed):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 1024),)](x, y, seed, n, BLOCK=1024)
    return y


# case: bound_is_stored
# expect: not applied, type-changes
"""The number of elements is stored too: it stays as it is, and wide offsets alone do not help."""


@triton.jit
def double(X, Y, COUNT, M, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    count = M * N
    mask = offs < count
    tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)
    tl.store(COUNT + tl.program_id(0), count)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    blocks = triton.cdiv(m * n, 1024)
    count = torch.empty(blocks, device=x.device, dtype=torch.int32)
    double[(blocks,)](x, y, count, m, n, BLOCK=1024)
    return y, count


# case: carried_by_a_loop
# like: rows
# expect: not applied, type-changes
"""The offset is carried, and another one would be of another type."""
#     row = tl.program_id(0)
#+    offset = row * stride
#+    cols = tl.arange(0, BLOCK)
#-        cols = start + tl.arange(0, BLOCK)
#-        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-        tl.store(Y + row * stride + cols, x * 2, mask=cols < N)
#+        x = tl.load(X + offset + cols, mask=start + cols < N, other=0.0)
#+        tl.store(Y + offset + cols, x * 2, mask=start + cols < N)
#+        offset += BLOCK


# case: offset_is_stored
# expect: not applied, type-changes
"""The offsets are stored, so they keep 32 bits: a wide bound of the mask is of no use alone."""


@triton.jit
def double(X, Y, I, M, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < M * N
    tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)
    tl.store(I + tl.arange(0, BLOCK), offs)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    i = torch.empty(1024, device=x.device, dtype=torch.int32)
    double[(triton.cdiv(m * n, 1024),)](x, y, i, m, n, BLOCK=1024)
    return y, i


# case: one_side_of_a_branch
# like: from_the_last_row
# expect: not applied, type-changes
"""On the other side it has 32 bits, and Triton takes no two types."""
#-    x = tl.load(X + (M - 1 - row) * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + (M - 1 - row) * stride + cols, x * 2, mask=cols < N)
#+    offset = row
#+    if M > 1:
#+        offset = row * stride
#+    x = tl.load(X + offset + cols, mask=cols < N, other=0.0)
#+    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


# case: stored
# expect: not applied, type-changes
"""The offset is stored as well."""


@triton.jit
def kernel(X, Y, I, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offset = row * stride
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + offset + cols, mask=cols < N, other=0.0)
    tl.store(Y + offset + cols, x * 2, mask=cols < N)
    tl.store(I + row, offset)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    i = torch.empty((m,), dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, i, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, i


# case: dead_after_a_branch
# expect: not applied, type-changes
"""Triton asks for one type even of a name that nothing reads after the `if`."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    offset = 0
    if row > 5:
        offset = row * stride
        x = tl.load(X + offset + cols, mask=cols < N, other=0.0)
        tl.store(Y + offset + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: dead_where_a_branch_returns
# like: dead_after_a_branch
# expect: not applied, type-changes
"""The one that returns has no other type either."""
#-        x = tl.load(X + offset + cols, mask=cols < N, other=0.0)
#-        tl.store(Y + offset + cols, x * 2, mask=cols < N)
#+        tl.store(Y + offset + cols, 1.0, mask=cols < N)
#+        return
#+    x = tl.load(X + row * stride + offset + cols, mask=cols < N, other=0.0)
#+    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)
