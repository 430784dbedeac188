import torch
import triton
import triton.language as tl


# case: expanded_after_it_was_made_contiguous
# expect: finding, assumes-contiguity
"""The mask has the elements of one row, and the kernel reads those of all."""


@triton.jit
def kernel(X, M, Y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    keep = tl.load(M + at, mask=at < N)
    tl.store(Y + at, tl.where(keep, x, 0.0), mask=at < N)


def launch(x, mask):
    x = x.contiguous()
    mask = mask.contiguous()
    all_of_it = mask.expand(x.shape)
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, all_of_it, y, x.numel(), BLOCK=64)
    return y


# case: half_of_each_row
# expect: finding, assumes-contiguity
"""`chunk` along the last dimension leaves gaps."""


@triton.jit
def kernel(A, B, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    a = tl.load(A + row * N + cols, mask=cols < N)
    b = tl.load(B + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, a * b, mask=cols < N)


def launch(x):
    a, b = x.chunk(2, dim=-1)
    m, n = a.shape
    y = torch.empty((m, n), device=x.device)
    kernel[(m,)](a, b, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: scaled_in_place
# expect: finding, assumes-contiguity
"""A copy would be scaled, and the caller's tensor not: no fix."""


@triton.jit
def kernel(X, S, N, WIDTH, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    s = tl.load(S + at // WIDTH, mask=at < N)
    tl.store(X + at, x * s, mask=at < N)


def launch(x, s):
    m, n = x.shape
    kernel[(triton.cdiv(m * n, 64),)](x, s, m * n, n, BLOCK=64)
    return x
