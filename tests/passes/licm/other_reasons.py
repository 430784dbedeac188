import torch
import triton
import triton.language as tl


# case: past_an_assertion
# like: volatile
# expect: not applied, assertion-in-the-loop
"""The assertion is there to fail before a wrong address is read."""
#-        x *= tl.load(W + row, volatile=True)
#+        tl.device_assert(row < flag)
#+        x *= tl.load(W + row)


# case: nothing_stored
# like: stored_through_a_choice
# expect: not applied, compiler-knows
"""The loop stores nothing, so the compiler moves the load itself."""
#-    place = Out if flag > 0 else W
#+    acc = tl.zeros([BLOCK], dtype=tl.float32)
#-        x = tl.load(X + row * n + cols, mask=cols < n) * tl.load(W + row)
#-        tl.store(place + row * n + cols, x, mask=cols < n)
#+        acc += tl.load(X + row * n + cols, mask=cols < n, other=0.0) * tl.load(W + row)
#+    tl.store(Out + row, tl.sum(acc, axis=0))


# case: nothing_stored_under_a_flag
# expect: not applied, compiler-knows
"""Nothing is stored in the loop."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(m):
        total += tl.load(X + row * n + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            total += tl.load(B + cols, mask=mask, other=0.0)
    tl.store(Out + cols, total, mask=mask)


# case: licm_disabled
# like: volatile
# expect: not applied, loop-options
"""The author has said that nothing moves out of the loop."""
#-    for start in range(0, n, BLOCK):
#+    for start in tl.range(0, n, BLOCK, disable_licm=True):
#-        x *= tl.load(W + row, volatile=True)
#+        x *= tl.load(W + row)


# case: decorated_helper
# expect: not applied, unknown-call
"""The text of the helper is not what runs: the decorator may put another function in its place."""

from elsewhere import faster


@faster
@triton.jit
def put(y, i, value):
    pass


@triton.jit
def kernel(x, y, n):
    for i in range(0, n):
        first = tl.load(x)
        tl.store(y + i, first)
        put(x, i, first + 1)


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel())
    return y


# case: past_an_unknown_call
# like: volatile
# expect: not applied, unknown-call
"""Nothing is known of the function."""
#-        x *= tl.load(W + row, volatile=True)
#+        x = finish(x)
#+        x *= tl.load(W + row)


# case: past_another_volatile
# like: volatile
# expect: not applied, volatile-load
"""Another load is volatile; what stands behind it stays behind it."""
#-        x *= tl.load(W + row, volatile=True)
#+        ready = tl.load(X, volatile=True)
#+        x *= tl.load(W + row) + ready


# case: volatile
# expect: not applied, volatile-load
"""Somebody else writes it while the loop runs."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n)
        x *= tl.load(W + row, volatile=True)
        tl.store(Out + row * n + cols, x, mask=cols < n)


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
