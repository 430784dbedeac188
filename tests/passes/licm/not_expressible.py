import torch
import triton
import triton.language as tl


# case: divided_by_another
# expect: not applied, not-expressible
"""What was divided by is another number."""


@triton.jit
def kernel(X, B, Out, m, n, flag, parts, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    part = n // flag
    for row in range(m):
        b = tl.load(B + n // parts)
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        tl.store(Out + (part + row) * n + cols, x * b, mask=mask)


def run(x, b, parts=1, flag=1):
    m, n = x.shape
    out = torch.empty(4 * m, n)
    kernel[(1,)](x, b, out, m, n, flag, parts, BLOCK=triton.next_power_of_2(n))
    return out


# case: divided_in_a_loop
# like: divided_by_another
# expect: not applied, not-expressible
"""The loop in front may run no time, and has divided by nothing then."""
#-    part = n // flag
#+    part = 0
#+    for i in range(flag):
#+        part += n // parts


# case: divided_on_one_way_only
# like: divided_by_another
# expect: not applied, not-expressible
"""Where the flag is off, nothing was divided by yet."""
#-    part = n // flag
#+    part = 0
#+    if flag > 0:
#+        part = n // parts


# case: divides_under_a_mask
# expect: not applied, not-expressible
"""The mask is off where the loop does not run, but the division in the address would still run."""


@triton.jit
def kernel(X, W, Out, n, period, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        w = tl.load(W + lanes % period, mask=lanes < n, other=0.0)
        x = tl.load(X + cols, mask=cols < n, other=0.0)
        tl.store(Out + cols, x * w, mask=cols < n)


def run(x, w, period):
    out = torch.empty_like(x)
    kernel[(1,)](x, w, out, x.numel(), period, BLOCK=16)
    return out


# case: index_bound_elsewhere
# like: step_may_be_negative
# expect: not applied, not-expressible
"""The offsets have another meaning in another loop."""
#-    for i in range(row, n, flag):
#-        tl.store(Out + i, tl.load(X + i) * tl.load(W + row))
#+    for start in range(0, n, BLOCK):
#+        offs = start + tl.arange(0, BLOCK)
#+        tl.store(Out + row * n + offs, 0.0, mask=offs < n)
#+    for i in range(0, 4):
#+        offs = tl.arange(0, BLOCK)
#+        w = tl.load(W + offs, mask=offs < n)
#+        tl.store(Out + row * n + offs, w + i, mask=offs < n)
