import torch
import triton
import triton.language as tl


# case: sum_from_another_kernel
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""A backward pass: what was loaded need not be a logarithm of a sum."""
#-def kernel(X, V, Out, N, BLOCK: tl.constexpr):
#+def kernel(X, V, L, Out, N, BLOCK: tl.constexpr):
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        tl.store(Out + start + at, tl.exp(x - tl.load(L)))


# case: of_another_tile
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""The maximum is one of the weights."""
#-def kernel(X, V, Out, N, BLOCK: tl.constexpr):
#+def kernel(X, V, W, Out, N, BLOCK: tl.constexpr):
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        w = tl.load(W + start + at)
#+        tl.store(Out + start + at, tl.exp(x - tl.max(w, axis=1, keep_dims=True)))


# case: bound_again
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""The name of the elements is bound again after their maximum was taken."""
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        top = tl.max(x, axis=1, keep_dims=True)
#+        x = x * 2.0
#+        tl.store(Out + start + at, tl.exp(x - top))


# case: loaded_again
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""The second load may find what another program has stored."""
#-        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        top = tl.max(tl.dot(tl.load(X + start + at), tl.load(V + at)), axis=1, keep_dims=True)
#+        tl.store(Out + start + at, tl.exp(tl.dot(tl.load(X + start + at), tl.load(V + at)) - top))


# case: minimum
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""Less the minimum, results are large; so are those of a smaller maximum."""
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        top = tl.minimum(tl.max(x, axis=1, keep_dims=True), 3.0)
#+        tl.store(Out + start + at, tl.exp(x - tl.min(x, axis=1, keep_dims=True)) + tl.exp(x - top))


# case: added
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""The maximum is added, or less the element."""
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        top = tl.max(x, axis=1, keep_dims=True)
#+        tl.store(Out + start + at, tl.exp(x + top) + tl.exp(top - x) + tl.exp(-x))


# case: scaled_afterwards
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""A negative scale makes the maximum the minimum."""
#-def kernel(X, V, Out, N, BLOCK: tl.constexpr):
#+def kernel(X, V, Out, scale, N, BLOCK: tl.constexpr):
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        top = tl.max(x, axis=1, keep_dims=True) * scale
#+        tl.store(Out + start + at, tl.exp(x * scale - top))


# case: chosen
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""For rows without any element something else is subtracted."""
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        top = tl.max(x, axis=1, keep_dims=True)
#+        top = tl.where(top == float("-inf"), 0.0, top)
#+        tl.store(Out + start + at, tl.exp(x - top))


# case: beside_other_lanes
# like: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""The maxima of the rows are subtracted from the columns, of a square tile."""
#-        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
#+        rows = tl.exp(x - tl.max(x, axis=1)[None, :])
#+        tl.store(Out + start + at, rows + tl.exp(x - tl.max(x, axis=0)[:, None]))


# case: without_an_axis
# expect: not applied, maximum-is-not-subtracted
"""The same, by the axis that is missing."""


@triton.jit
def kernel(X, V, Out, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = cols[:, None] * BLOCK + cols[None, :]
    for start in range(0, N, BLOCK):
        x = tl.dot(tl.load(X + start + at), tl.load(V + at))
        tl.store(Out + start + at, tl.exp(x - tl.max(x, axis=1)))
