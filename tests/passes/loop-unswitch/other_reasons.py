import torch
import triton
import triton.language as tl


# case: decided_around
# expect: not applied, already-done
"""The loop stands where the same condition holds: the branch is always taken."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    total = 0.0
    if flag:
        for i in range(n):
            if not flag:
                total += 1.0
            total += tl.load(X + i)
    tl.store(Out, total)


# case: condition_counts
# expect: not applied, condition-is-not-plain
"""A helper counts how often it was asked, and says what does not change."""

import triton
import triton.language as tl


@triton.jit
def asked(Count, flag):
    tl.atomic_add(Count, 1)
    return flag


@triton.jit
def kernel(X, Out, Count, n, flag):
    total = 0.0
    for i in range(n):
        if asked(Count, flag) > 0:
            total += tl.load(X + i)
    tl.store(Out, total)


# case: condition_loads
# like: too_many_statements
# expect: not applied, condition-is-not-plain
"""The condition reads memory, which it would then do where the loop does not run."""
#-        if flag > 0:
#+        if tl.load(X + row) > 0.0:


# case: helper_of_a_kernel
# expect: not applied, condition-is-not-plain
"""What a kernel passes to a helper may be known to the compiler."""

import triton
import triton.language as tl


@triton.jit
def total(X, n, squared):
    acc = 0.0
    for i in range(n):
        x = tl.load(X + i)
        if squared:
            x = x * x
        acc += x
    return acc


@triton.jit
def kernel(X, Out, n, SQUARED: tl.constexpr):
    tl.store(Out, total(X, n, SQUARED))


# case: divides
# like: too_many_statements
# expect: not applied, may-divide-by-zero
"""The number of groups may be zero; then there are no tiles, and nothing is divided by it."""
#-        if flag > 0:
#+        if row // flag == 1:


# case: bound_in_two_ways
# expect: not applied, not-expressible
"""The name in the condition is the kernel's for something else before."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        chosen = start + tl.arange(0, BLOCK)
        tl.store(Out + chosen, 0.0, mask=chosen < n)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        chosen = flag > 0
        if chosen:
            x = x * 2.0
        tl.store(Out + row * n + cols, x, mask=cols < n)


# case: copies_of_copies
# expect: not applied, too-many-statements
# options: max_statements=12
"""There are copies of the outer loop already, by hand or by an earlier run: those of the inner
loop are added to them."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, m, flag):
    total = 0.0
    if flag > 0:
        for i in range(n):
            for j in range(m):
                if i > 1:
                    total += 1.0
                total += tl.load(X + i * m + j)
            total = total * 2.0
    else:
        for i in range(n):
            for j in range(m):
                total += tl.load(X + i * m + j)
            total = total * 3.0
    tl.store(Out, total)


# case: third_condition
# expect: not applied, too-many-statements
# options: max_statements=11
"""Two conditions are moved, which makes four copies; a third would make eight."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    total = 0.0
    if n > 5:
        if n > 8:
            for i in range(n):
                total += tl.load(X + i)
        else:
            for i in range(n):
                total -= tl.load(X + i)
    else:
        for i in range(n):
            if flag > 0:
                total += 1.0
            total *= tl.load(X + i)
    tl.store(Out, total)


# case: too_many_statements
# expect: not applied, too-many-statements
# options: max_statements=8
"""The copies would be longer than was asked for."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag > 0:
            x = x * 2.0
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# case: name_of_two_branches
# expect: not applied, type-changes
"""Two branches have a name for themselves, once for a float and once for an integer. Without the
first branch its name would be known in the second, with the wrong type."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    total = 0.0
    for i in range(n):
        if flag > 0:
            more = tl.load(X + i)
            total += more
        if i > 3:
            more = i + 1
            total += more
    tl.store(Out, total)


# case: elif_of_a_varying_if
# like: too_many_statements
# expect: not applied, under-a-condition
"""Only the second condition does not change, and it is asked only where the first does not hold."""
#-        if flag > 0:
#+        if start == 0:
#             x = x * 2.0
#+        elif flag > 0:
#+            x = x + 1.0


# case: under_a_constexpr_with_else
# expect: not applied, under-a-condition
"""The condition of the compiler has another way, too."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, scale, HAS_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if HAS_SCALE:
            if scale > 0.0:
                x = x * scale
        else:
            x = x + 1.0
        tl.store(Out + row * n + cols, x, mask=cols < n)


# case: under_two_constexprs
# expect: not applied, under-a-condition
"""Two conditions of the compiler, one in the other."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, scale, HAS_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if HAS_SCALE:
            if BLOCK > 16:
                if scale > 0.0:
                    x = x * scale
        tl.store(Out + row * n + cols, x, mask=cols < n)


# case: static_range
# like: too_many_statements
# expect: not applied, unrolled-loop
"""The loop is unrolled, and the branch with it."""
#-    for start in range(0, n, BLOCK):
#+    for start in tl.static_range(0, 64, BLOCK):


# case: condition_waits
# like: too_many_statements
# expect: not applied, volatile-load
"""The condition reads what somebody else writes while the loop runs."""
#-        if flag > 0:
#+        if tl.load(X + row, volatile=True) > 0.0:


# case: under_a_constexpr
# like: asked_beside_a_constexpr
# expect: not applied, under-a-condition
"""Where there is no scale, it is None, which is not greater than anything: the condition is one
that must not be compiled, so what guards it goes around the copies."""
#-        if scale > 0.0:
#-            x = x + 1.0

#-# tritonopt: x: f32[m, n], scale: 0.5|-2.0, scaled: bool
#-def run(x: torch.Tensor, scale: float, scaled: bool):
#+# tritonopt: x: f32[m, n], scale: None|0.5|-2.0
#+def run(x: torch.Tensor, scale: float | None):
#-    kernel[(m,)](x, out, n, scale, HAS_SCALE=scaled, BLOCK=16)
#+    kernel[(m,)](x, out, n, scale, HAS_SCALE=scale is not None, BLOCK=16)


# case: under_a_pointer
# expect: not applied, under-a-condition
"""Whether a pointer was passed is for the compiler to know."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if W is not None:
            if flag > 0:
                x = x * tl.load(W + cols, mask=cols < n, other=0.0)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], w: f32[n] | None, flag: int in -1..1
def run(x: torch.Tensor, w: torch.Tensor | None, flag: int):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
