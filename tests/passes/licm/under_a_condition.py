import torch
import triton
import triton.language as tl


# case: chosen_by_a_ternary
# like: volatile
# expect: not applied, under-a-condition
"""One side of a ternary loads, and the tile decides."""
#-        x *= tl.load(W + row, volatile=True)
#+        x *= tl.load(W + row) if start > 0 else 1.0


# case: else_of_a_value
# like: flag_is_a_value
# expect: not applied, under-a-condition
"""Rows of which the first element is not positive come to the load."""
#-    wide = KIND > 1

#-        if wide:
#+        if tl.load(X + row * n) > 0.0:
#+            x = -x
#+        else:


# case: flag_above_a_changing_condition
# like: flag_around_an_inner_loop
# expect: not applied, under-a-condition
"""The flag is known; the condition below it is not."""
#-            for i in range(0, 3):
#+            if row > 0:


# case: flag_and_a_value
# like: flag_around_an_inner_loop
# expect: not applied, under-a-condition
"""Half of the condition is known, and half of it changes."""
#-        if HAS_BIAS:
#-            for i in range(0, 3):
#-                x += tl.load(B + cols, mask=mask, other=0.0)
#+        if HAS_BIAS and row > 0:
#+            x += tl.load(B + cols, mask=mask, other=0.0)


# case: flag_changes_in_the_loop
# like: flag_is_a_value
# expect: not applied, under-a-condition
"""Only the first row has a bias."""
#-    wide = KIND > 1
#+    first = True
#-        if wide:
#+        if first:
#             x += tl.load(B + cols, mask=mask, other=0.0)
#+        first = False


# case: flag_is_a_value
# expect: not applied, under-a-condition
"""What is assigned without `tl.constexpr` is a value at run time, and no name leaves its `if`."""


@triton.jit
def kernel(X, B, Out, m, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    wide = KIND > 1
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if wide:
            x += tl.load(B + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, KIND=2, BLOCK=triton.next_power_of_2(n))
    return out


# case: flag_is_bound_again
# like: pointer_as_a_condition
# expect: not applied, under-a-condition
"""The parameter is a constant, and what is bound to its name later is none."""
#-def kernel(X, B, Out, m, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
#+def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, KIND: tl.constexpr, BLOCK: tl.constexpr):
#     mask = cols < n
#+    HAS_BIAS = HAS_BIAS and KIND > 1
#-        if B:
#+        if HAS_BIAS:


# case: index_of_an_unrolled_loop
# like: flag_is_a_value
# expect: not applied, under-a-condition
"""The compiler knows the index, and another one each time."""
#-    wide = KIND > 1

#-        if wide:
#-            x += tl.load(B + cols, mask=mask, other=0.0)
#+        for i in tl.static_range(3):
#+            if i == 1:
#+                x += tl.load(B + cols, mask=mask, other=0.0)


# case: mask_of_another_tile
# expect: not applied, under-a-condition
"""The mask is off where the last column is out of reach; the condition asks for the row."""


@triton.jit
def kernel(X, B, Out, m, n, rows, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(m):
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row < rows:
            x += tl.load(B + cols, mask=cols < rows, other=0.0)
        tl.store(Out + row * n + cols, x, mask=cols < n)


def run(x, b, rows=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(1,)](x, b, out, m, n, rows, BLOCK=triton.next_power_of_2(n))
    return out


# case: mask_says_too_little
# expect: not applied, under-a-condition
"""The mask leaves lanes on where the condition does not hold."""


@triton.jit
def kernel(X, B, Out, m, n, limit, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    cols = start + tl.arange(0, BLOCK)
    for row in range(m):
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row * BLOCK < limit:
            x += tl.load(B + cols, mask=cols < n, other=0.0)
        tl.store(Out + row * n + cols, x, mask=cols < n)


def run(x, b, limit=20):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, b, out, m, n, limit, BLOCK=16)
    return out


# case: pointer_as_a_condition
# expect: not applied, under-a-condition
"""A pointer that was passed is no constant: its `if` is one at run time."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if B:
            x += tl.load(B + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x, mask=mask)


# case: pointer_is_bumped_under_a_flag
# expect: not applied, under-a-condition
"""The load of the first row is another one than that of the second."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    bias = B + cols
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if row > m:
            x += tl.load(B + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            x += tl.load(bias, mask=mask, other=0.0)
            bias += n
        tl.store(Out + row * n + cols, x, mask=mask)


# case: short_circuit
# like: volatile
# expect: not applied, under-a-condition
"""With a constexpr in front of it, the load may not even be compiled."""
#-def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
#+def kernel(X, W, Out, n, SCALED: tl.constexpr, BLOCK: tl.constexpr):
#-        x *= tl.load(W + row, volatile=True)
#+        if SCALED and tl.load(W + row) > start:
#+            x = x * 2.0


# case: under_a_condition
# like: volatile
# expect: not applied, under-a-condition
"""Only some iterations come to the load."""
#-        x *= tl.load(W + row, volatile=True)
#+        if start > flag:
#+            x *= tl.load(W + row)
