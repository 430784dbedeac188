import torch
import triton
import triton.language as tl


# case: no_other
# like: logsumexp
# expect: not applied, masked-off-lanes-count
"""Masked-off lanes have no value."""
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N)
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N)


# case: ragged_rows
# expect: not applied, masked-off-lanes-count
"""A row may have no element at all, though there are tiles."""


@triton.jit
def kernel(X, L, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    length = tl.load(L + row)
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < length, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < length, other=-float("inf"))
        s += tl.sum(tl.where(cols < length, tl.exp(x - m), 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n], lengths: i32[m] in 0..n
def run(x: torch.Tensor, lengths: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, lengths.contiguous(), y, n, BLOCK=16)
    return y


# case: some_are_summed
# expect: not applied, masked-off-lanes-count
"""The maximum is also of elements that are not summed."""


@triton.jit
def kernel(X, K, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        keep = tl.load(K + cols, mask=cols < N, other=0) > 0
        s += tl.sum(tl.where(keep, tl.exp(x - m), 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n], k: i32[n]
def run(x: torch.Tensor, k: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, k.contiguous(), y, n, BLOCK=16)
    return y


# case: some_rows_count
# like: rows_of_a_tile
# expect: not applied, masked-off-lanes-count
"""Rows beyond the last one have the sum 0, and rows of -inf have NaN."""
#-        s += tl.sum(tl.exp(x - m[:, None]), axis=1)
#+        s += tl.sum(tl.where(mask, tl.exp(x - m[:, None]), 0.0), axis=1)
