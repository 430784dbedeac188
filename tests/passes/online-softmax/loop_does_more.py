import torch
import triton
import triton.language as tl


# case: both_do_more
# like: least_of_the_maximum
# expect: not applied, loop-does-more
"""Each of the sweeps does something else too."""
#     m = -float("inf")
#+    large = 0
#         m = tl.maximum(m, tl.max(x, axis=0))
#+        large += tl.sum((x > 1.0).to(tl.int32), axis=0)
#-        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
#-    tl.store(Y + row, m + tl.log(s) + t)
#+        t += tl.sum(tl.where(cols < N, x, 0.0), axis=0)
#+    tl.store(Y + row, m + tl.log(s) + t + large)


# case: exponentials_are_read_behind
# like: least_of_the_maximum
# expect: not applied, loop-does-more
"""The exponentials of a tile are read once more."""
#-        s += tl.sum(tl.exp(x - m), axis=0)
#-        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
#+        p = tl.exp(x - m)
#+        s += tl.sum(p, axis=0)
#+        t += tl.max(p, axis=0)


# case: exponentials_are_stored
# like: second_sweep_stores
# expect: not applied, loop-does-more
"""The second sweep stores the exponentials."""
#-        s += tl.sum(tl.exp(x - m), axis=0)
#-        tl.store(Z + row * N + cols, x * 2.0, mask=cols < N)
#-    tl.store(Y + row, m + tl.log(s))
#+        p = tl.exp(x - m)
#+        s += tl.sum(p, axis=0)
#+        tl.store(Z + row * N + cols, p, mask=cols < N)
#+    tl.store(Y + row, s)
#-    z = torch.zeros_like(x)
#+    z = torch.empty_like(x)


# case: least_of_the_maximum
# expect: not applied, loop-does-more
"""Beside the sum the maximum limits what another sum adds."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s) + t)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: maximum_is_bound_again
# like: least_of_the_maximum
# expect: not applied, loop-does-more
"""The name of the maximum is bound again before the second sweep."""
#         m = tl.maximum(m, tl.max(x, axis=0))
#+    top = m
#+    m = 0.0
#-        s += tl.sum(tl.exp(x - m), axis=0)
#-        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
#-    tl.store(Y + row, m + tl.log(s) + t)
#+        s += tl.sum(tl.exp(x - top), axis=0)
#+        t += tl.sum(tl.where(cols < N, x, 0.0), axis=0)
#+    tl.store(Y + row, top + tl.log(s) + t + m)


# case: maximum_is_used_between
# like: least_of_the_maximum
# expect: not applied, loop-does-more
"""The second sweep does more, and the maximum is needed before it."""
#         m = tl.maximum(m, tl.max(x, axis=0))
#+    half = m * 0.5
#-        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
#+        t += tl.sum(tl.where(cols < N, x, half), axis=0)


# case: maximum_is_used_twice
# like: least_of_the_maximum
# expect: not applied, loop-does-more
"""The second sweep needs the maximum for something else, too."""
#-        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
#+        t += tl.sum(tl.where(x == m, 1.0, 0.0), axis=0)


# case: sum_is_stored_so_far
# like: second_sweep_stores
# expect: not applied, loop-does-more
"""The sum so far is stored in every iteration."""
#-        tl.store(Z + row * N + cols, x * 2.0, mask=cols < N)
#+        tl.store(Z + row * N + start // BLOCK, s)


# case: two_sums
# like: least_of_the_maximum
# expect: not applied, loop-does-more
"""Two sums below one maximum."""
#-        s += tl.sum(tl.exp(x - m), axis=0)
#-        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
#+        p = tl.exp(x - m)
#+        s += tl.sum(p, axis=0)
#+        t += tl.sum(p * cols, axis=0)
