import torch
import triton
import triton.language as tl


# case: accumulated_squares
# like: logarithm_of_zero
# expect: finding, other-changes-the-result
"""The mask of the last tile is not that of the tiles before."""
#-def k(P, Y, N, BLOCK: tl.constexpr):
#+def k(X, Y, mean, N, BLOCK: tl.constexpr):
#-        acc += tl.log(tl.load(P + c, mask=c < N, other=0.0))
#+        d = tl.load(X + c, mask=c < N, other=0.0) - mean
#+        acc += d * d


# case: whole_number_of_an_unknown_type
# expect: finding, other-changes-the-result
"""Who writes 1 may load integers, and of an infinity the compiler makes an undefined one."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + c, mask=c < N, other=1)
    tl.store(Y + tl.program_id(0), tl.min(x, axis=0))


# tritonopt: x: i32[m, n]
def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.zeros(m, dtype=torch.int64, device=x.device)
    k[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: mask_bound_again
# expect: finding, other-changes-the-result
"""The name of the mask means something else by then."""


@triton.jit
def k(X, Y, Z, mean, N, M, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    mask = c < N
    d = tl.load(X + c, mask=mask, other=0.0) - mean
    mask = c < M
    tl.store(Z + c, d, mask=mask)
    tl.store(Y, tl.sum(d * d, axis=0))


# case: other_given_by_a_helper
# expect: finding, other-changes-the-result
"""Other callers may want the 0."""


@triton.jit
def row(X, c, N):
    return tl.load(X + c, mask=c < N, other=0.0).to(tl.float32)


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y, tl.max(row(X, c, N), 0))


def launch(x: torch.Tensor):
    y = torch.empty(1, device=x.device)
    k[(1,)](x, y, x.numel(), BLOCK=1024)
    return y


# case: keys_after_the_last
# expect: finding, other-changes-the-result
"""A score of 0 is no score of minus infinity: each inactive key adds exp(-max) to the sum."""


@triton.jit
def k(Q, K, Y, scale, N, D: tl.constexpr, BLOCK: tl.constexpr):
    d = tl.arange(0, D)
    m = tl.arange(0, BLOCK)
    q = tl.load(Q + m[:, None] * D + d[None, :])
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        n = start + tl.arange(0, BLOCK)
        k = tl.load(K + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        higher = tl.maximum(best, tl.max(s, 1))
        total = total * tl.exp(best - higher) + tl.sum(tl.exp(s - higher[:, None]), 1)
        best = higher
    tl.store(Y + m, best + tl.log(total))


# case: keys_of_a_block
# expect: finding, other-changes-the-result
"""A block pointer reads 0 outside of its shape."""


@triton.jit
def k(Q, K, Y, N, D: tl.constexpr, BLOCK: tl.constexpr):
    q = tl.load(Q + tl.arange(0, D))
    block = tl.make_block_ptr(K, (N, D), (D, 1), (0, 0), (BLOCK, D), (1, 0))
    total = 0.0
    for _ in range(0, N, BLOCK):
        k = tl.load(block, boundary_check=(0,), padding_option="zero")
        total += tl.sum(tl.exp(tl.sum(q[None, :] * k, 1)), 0)
        block = tl.advance(block, (BLOCK, 0))
    tl.store(Y, total)


# case: distance_to_rows_that_are_zero
# expect: finding, other-changes-the-result
"""The row of zeros may be the nearest."""


@triton.jit
def k(X, C, Y, N, D: tl.constexpr, BLOCK: tl.constexpr):
    d = tl.arange(0, D)
    row = tl.program_id(0)
    x = tl.load(X + row * D + d)
    n = tl.arange(0, BLOCK)
    c = tl.load(C + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
    apart = x[None, :] - c
    tl.store(Y + row, tl.argmin(tl.sum(apart * apart, axis=1), axis=0))


def launch(x, codes):
    m, n = x.shape[0], codes.shape[0]
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    k[(m,)](x, codes, y, n, D=64, BLOCK=triton.next_power_of_2(n))
    return y


# case: logarithm_of_zero
# expect: finding, other-changes-the-result
"""Minus infinity in the lanes that are off."""


@triton.jit
def k(P, Y, N, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        acc += tl.log(tl.load(P + c, mask=c < N, other=0.0))
    tl.store(Y, tl.sum(acc, axis=0))
