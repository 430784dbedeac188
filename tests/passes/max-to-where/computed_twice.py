import torch
import triton
import triton.language as tl


# case: constant_after_an_atomic
# expect: not applied, computed-twice
"""Written twice, the constant would count twice."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = tl.maximum(x, (tl.atomic_add(Y, 1), 0.5)[1])
    tl.store(Y + cols, y, mask=cols < N)


# case: constant_by_choice
# like: constant_after_an_atomic
# expect: not applied, computed-twice
"""Compared as it stands, the choice would take the comparison in."""
#-    y = tl.maximum(x, (tl.atomic_add(Y, 1), 0.5)[1])
#+    y = tl.maximum(x, 0.5 if N == 3 else 0.5)


# case: constant_from_a_helper
# expect: not applied, computed-twice
"""The helper returns a constant, and counts how often."""

import triton
import triton.language as tl


@triton.jit
def counted(P):
    tl.atomic_add(P, 1)
    return 0.5


@triton.jit
def kernel(X, Y, P, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = tl.maximum(x, counted(P))
    tl.store(Y + cols, y, mask=cols < N)


# case: constant_is_named_inside
# like: constant_after_an_atomic
# expect: not applied, computed-twice
"""The constant gets its name where it is used."""
#-    y = tl.maximum(x, (tl.atomic_add(Y, 1), 0.5)[1])
#+    y = tl.maximum(x, (floor := 0.5)) - floor


# case: load_inside
# like: boolean_constant
# expect: not applied, computed-twice
"""The operand is a load, which would be done twice."""
#-    y = tl.maximum(x, True)
#+    y = tl.maximum(tl.load(X + cols + 1, mask=cols + 1 < N, other=0.0), 0.0)


# case: sum_inside
# like: boolean_constant
# expect: not applied, computed-twice
"""The operand is a sum of two, which would be written twice."""
#-    y = tl.maximum(x, True)
#+    y = tl.maximum(x + 1.0, 0.0)
