import torch
import triton
import triton.language as tl


# case: counter_added_to_later
# expect: not applied, name-is-bound-elsewhere
"""The counter lives on behind its loop: `i += 1` reads it, though it looks like a binding."""

import triton
import triton.language as tl


@triton.jit
def kernel(Out, n, flag):
    for i in range(n):
        if flag > 0:
            tl.atomic_add(Out + i, 1.0)
    i += 1
    tl.store(Out + n, i)


# case: counter_read_later
# like: too_many_statements
# expect: not applied, name-is-bound-elsewhere
"""What the loop counted with is read behind it."""
#-    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)
#+    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc + start)


# case: induction_name_taken
# expect: not applied, name-is-bound-elsewhere
"""The earlier loop leaves `i` behind as an integer of 32 bits. Inside of an `if` the second loop
may not make it one of 64, if that is what its bound is."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, m, flag):
    total = 0.0
    for i in range(0, 10):
        total += tl.load(X + i)
    for i in range(0, m):
        if flag > 0:
            total = total * 0.5
        total += tl.load(X + n + i)
    tl.store(Out, total)


# case: name_added_to_later
# expect: not applied, name-is-bound-elsewhere
"""What the loop binds first is added to behind it, which only plain Python lets pass."""

import triton
import triton.language as tl


@triton.jit
def kernel(Out, n, flag):
    for i in range(n):
        x = i * 2
        if flag > 0:
            x = x + 1
        tl.store(Out + i, x)
    x += 1
    tl.store(Out + n, x)
