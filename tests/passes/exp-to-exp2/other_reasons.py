import torch
import triton
import triton.language as tl


# case: log_of_single_results
# expect: not applied, tiny-results-count
"""log(exp(-90)) is -90, and log(0) is -inf."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        p = tl.exp(x - tl.max(x, axis=1, keep_dims=True)) / 2.0
        tl.store(Out + start + at, tl.log(p))


# case: log_through_a_name
# expect: not applied, tiny-results-count
"""The same, with a weight and a branch between."""


@triton.jit
def kernel(X, V, W, Out, flag, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        p = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        if flag:
            p = p * tl.load(W + start + at)
        tl.store(Out + start + at, tl.log2(p))


# case: divided_by
# expect: not applied, tiny-results-count
"""Dividing by a tiny number is not dividing by 0."""


@triton.jit
def kernel(X, V, Y, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        p = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        tl.store(Out + start + at, tl.load(Y + start + at) / p)


# case: compared
# expect: not applied, tiny-results-count
"""Whether a result is above 0 is asked of tiny ones too."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        p = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        tl.store(Out + start + at, tl.sum(tl.where(p > 0, 1, 0), axis=1, keep_dims=True))


# case: product_over_iterations
# expect: not applied, tiny-results-count
"""The loop hands the product on, to a logarithm after it."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    product = tl.full([BLOCK, BLOCK], 1.0, tl.float32)
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        product = product * tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    tl.store(Out + at, tl.log(product))


# case: double_precision
# expect: not applied, type-changes
"""What is computed in fp64 is another function of the GPU."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at)).to(tl.float64)
        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        tl.store(Out + start + at, e / tl.sum(e, axis=1, keep_dims=True))


# case: comment_inside
# expect: not applied, comment-inside
"""A comment on the exponent would go with it."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        e = tl.exp(
            x - tl.max(x, axis=1, keep_dims=True)  # at most 0
        )
        tl.store(Out + start + at, e / tl.sum(e, axis=1, keep_dims=True))


# case: pinned
# expect: not applied, pinned-bits
"""Somebody wanted the bits of another library."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        tl.store(Out + start + at, tl.div_rn(e, tl.sum(e, axis=1, keep_dims=True)))


# case: other_functions
# expect: silent
"""A function of the file, one of a library, and the power of two itself."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def exp(x):
    return x * x


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        x = x - tl.max(x, axis=1, keep_dims=True)
        tl.store(Out + start + at, exp(x) + libdevice.exp(x) + tl.exp2(x))


# case: rows_without_products
# expect: silent
"""A row waits for memory; so does one product outside of a loop."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    s = tl.dot(tl.load(X + at), tl.load(V + at))
    s = tl.exp(s - tl.max(s, axis=1, keep_dims=True))
    tl.store(Out + at, s)
    for start in range(0, N, BLOCK):
        x = tl.load(X + start + cols).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Out + start + cols, e / tl.sum(e, axis=0))


# case: summed_along_another_axis
# expect: not applied, tiny-results-count
"""Every row has its 1 in some column, and a column may have none."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        p = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        tl.store(Out + start + at, p / tl.sum(p, axis=0, keep_dims=True))
