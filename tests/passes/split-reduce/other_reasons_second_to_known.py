import torch
import triton
import triton.language as tl


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += x
    tl.store(Y + row, tl.sum(acc, axis=0))


# case: second_sweep_last_tile
# like: second_sweep_exact
# expect: not applied, last-value-is-used
"""Behind the second loop somebody reads what its last turn has left."""
#     row = tl.program_id(0)
#+    x = tl.zeros([BLOCK], dtype=tl.float32)
#         tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+    tl.store(Y + row * stride + tl.arange(0, BLOCK), x)


# case: counted_in_the_kernel
# expect: not applied, length-is-computed
"""How long the row is, is loaded."""


@triton.jit
def kernel(X, Lengths, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    n = tl.load(Lengths + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, axis=0))


def reduced(x: torch.Tensor, lengths: torch.Tensor):
    y = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    kernel[(x.shape[0],)](x, lengths, y, x.stride(0), BLOCK=64)
    return y


# case: compiler_divides_it
# like: exact_bits
# expect: not applied, loop-options
"""The compiler divides the loop over warps."""
#-    for start in range(0, N, BLOCK):
#+    for start in tl.range(0, N, BLOCK, warp_specialize=True):
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+    tl.store(Y + row, tl.sum(acc, axis=0))


# case: nan_is_kept
# like: exact_bits
# expect: not applied, nan-is-propagated
"""A maximum that keeps NaN."""
#-        acc += x
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+        acc = tl.maximum(acc, x, propagate_nan=tl.PropagateNan.ALL)
#+    tl.store(Y + row, tl.max(acc, axis=0))


# case: product
# like: exact_bits
# expect: not applied, no-such-reduction
"""A product of all elements."""
#     acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    acc += 1.0
#-        acc += x
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+        acc *= tl.where(cols < N, x, 1.0)
#+    tl.store(Y + row, tl.max(acc, axis=0))


# case: exact_bits
# expect: not applied, pinned-bits
"""Somebody matched another library: the order of the sum is a part of that."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += x
    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
# shared: reduced


# case: online_numbers
# like: other_base
# expect: not applied, safety
# options: turns=1
"""An online softmax that begins with -inf: rows with tiles of nothing but -inf may differ."""
#-    m = -1e30
#+    m = -float("inf")
#-        l = l * tl.exp2(m - new) + tl.sum(tl.exp(x - new), axis=0)
#+        l = l * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)


# case: promised_by_a_function
# like: known_elsewhere
# expect: not applied, safety
"""It is launched for a function that promises the same result however many rows there are."""
#-        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        acc += x
#+        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
#-def others():
#-    return {"sum": kernel}
#+def sum_batch_invariant(x: torch.Tensor):
#+    return reduced(x)


# case: tile_of_two_axes
# expect: not applied, shapes-differ
"""A matrix product: what is left is a tile of two axes."""


@triton.jit
def kernel(A, B, C, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    acc = tl.zeros([M, N], dtype=tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        a = tl.load(A + rows[:, None] * K + k[None, :], mask=k[None, :] < K, other=0.0)
        b = tl.load(B + k[:, None] * N + cols[None, :], mask=k[:, None] < K, other=0.0)
        acc += tl.dot(a, b)
    tl.store(C + rows[:, None] * N + cols[None, :], acc)


def product(a: torch.Tensor, b: torch.Tensor):
    c = torch.empty(16, 16, dtype=torch.float32, device=a.device)
    kernel[(1,)](a, b, c, a.shape[1], M=16, N=16, BLOCK=32)
    return c


# case: integer_may_become_a_float
# expect: not applied, type-is-unknown
"""A sum that starts as an integer, of data of a type that is not known: no fraction may go."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    total = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0))
    tl.store(Y, total)


def run(x: torch.Tensor):
    y = torch.empty(1, device=x.device)
    kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y


# case: under_a_condition
# expect: not applied, under-a-condition
"""The loop runs for some rows only."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    if row > 0:
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, axis=0))
# shared: reduced


# case: compiled_kernel_is_kept
# expect: not applied, unseen-launches
"""What the launch returns can be launched again."""
# shared: kernel


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    compiled = kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y, compiled


# case: known_elsewhere
# expect: not applied, unseen-launches
"""The kernel is handed to somebody else, who may launch it."""
# shared: kernel
# shared: reduced


def others():
    return {"sum": kernel}
