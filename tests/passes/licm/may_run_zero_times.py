import torch
import triton
import triton.language as tl


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out


# case: mask_may_be_none
# like: volatile
# expect: not applied, may-run-zero-times
"""Whether the loop runs is not known, and the mask may be None, to which no condition can be
added."""
#-def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
#+def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr, EVEN: tl.constexpr):
#     lanes = tl.arange(0, BLOCK)
#+    mask = None if EVEN else lanes < flag
#-        x = tl.load(X + row * n + cols, mask=cols < n)
#-        x *= tl.load(W + row, volatile=True)
#+        x = tl.load(X + row * n + cols, mask=cols < n) * tl.load(W + lanes, mask=mask)


# case: step_may_be_negative
# expect: not applied, may-run-zero-times
"""Nobody knows which way the loop counts, so nobody can say when it runs."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for i in range(row, n, flag):
        tl.store(Out + i, tl.load(X + i) * tl.load(W + row))
# shared: run


# case: step_of_unknown_sign
# expect: not applied, may-run-zero-times
"""The loop may count up or down."""


@triton.jit
def kernel(X, B, Out, m, n, step, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(0, m, step):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        x += tl.load(B + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, 1, BLOCK=triton.next_power_of_2(n))
    return out


# case: while_it_lasts
# expect: not applied, may-run-zero-times
"""A while loop may have no iteration."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    while i < n:
        tl.store(Out + i, tl.load(X + i) * tl.load(W))
        i += tl.num_programs(0)
# shared: run


# case: more_programs_than_rows
# like: programs_skip_rows
# expect: not applied, may-run-zero-times
"""One of two launches may start programs without a row."""
#-    for row in range(tl.program_id(0) * 2, m, tl.num_programs(0)):
#+    for row in range(tl.program_id(0), m, tl.num_programs(0)):
#-def run(x, w):
#+def run(x, w, few):
#-    kernel[(m,)](x, w, out, m, n, BLOCK=64)
#+    if few:
#+        kernel[(min(m, 64),)](x, w, out, m, n, BLOCK=64)
#+    else:
#+        kernel[(64,)](x, w, out, m, n, BLOCK=64)


# case: empty_rows
# like: length_is_checked
# expect: not applied, may-run-zero-times
"""There may be rows, and a scale for each, without an element: `Scale` may be no memory then."""
#-# tritonopt: x: f32[m, n], scale: f32[m]

#-    assert n > 0


# case: programs_skip_rows
# expect: not applied, may-run-zero-times
"""As many programs as rows, of which the second begins at the third: the last ones have none."""


@triton.jit
def kernel(X, W, Out, m, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0) * 2, m, tl.num_programs(0)):
        w = tl.load(W + cols, mask=mask, other=0.0)
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x * w, mask=mask)


def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, m, n, BLOCK=64)
    return out
