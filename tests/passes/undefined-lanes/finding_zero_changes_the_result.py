import torch
import triton
import triton.language as tl


# case: loaded_by_a_helper
# expect: finding, zero-changes-the-result
"""A helper loads the row whose maximum is taken."""

@triton.jit
def row(X, c, N):
    return tl.load(X + c, mask=c < N).to(tl.float32)


@triton.jit
def k(X, Y, stride, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = row(X + r * stride, c, N)
    tl.store(Y + r, tl.max(x, 0))


# case: scan_from_the_end
# expect: finding, zero-changes-the-result
"""Sums that begin at the end of the tile begin with lanes that are not there."""

@triton.jit
def k(X, Y, stride, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + r * stride + c, mask=c < N)
    y = tl.cumsum(tl.exp(x), 0, reverse=True)
    tl.store(Y + r * stride + c, y, mask=c < N)


# case: sorted_row
# expect: finding, zero-changes-the-result
"""A row is sorted with the zeros of the lanes that are not there among its numbers."""

@triton.jit
def k(X, Y, stride, N, K: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + r * stride + c, mask=c < N)
    s = tl.sort(x, descending=True)
    tl.store(Y + r * K + c, s, mask=c < K)
