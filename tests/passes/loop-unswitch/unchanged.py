import torch
import triton
import triton.language as tl


# case: condition_rebound
# like: too_many_statements
# expect: unchanged
"""The name in the condition is bound again in the loop."""
#             x = x * 2.0
#+            flag = flag - 1


# case: condition_rebound_later
# like: too_many_statements
# expect: unchanged
"""The name is bound again behind the branch, for the next iteration."""
#             x = x * 2.0
#+        flag = n - start


# case: condition_varies
# like: too_many_statements
# expect: unchanged
"""The condition changes with the tile, if only through a name."""
#-        if flag > 0:
#+        tail = start + BLOCK > n
#+        if tail:


# case: constexpr_condition
# like: too_many_statements
# expect: unchanged
"""The compiler knows the condition and removes it."""
#-def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
#+def kernel(X, Out, n, flag: tl.constexpr, BLOCK: tl.constexpr):


# case: decided_by_a_call
# like: too_many_statements
# expect: unchanged
"""Nothing is known of the function that decides."""
#-        if flag > 0:
#+        if is_wanted(flag):


# case: element_replaced
# expect: unchanged
"""The tuple keeps its name while one of its elements, which the condition asks for, changes."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, other):
    state = [flag, other]
    total = 0.0
    for i in range(n):
        if state[0] > 0:
            total += tl.load(X + i)
        state[0] = state[0] - 1
    tl.store(Out, total)


# case: module_constant
# like: too_many_statements
# expect: unchanged
"""A module constant is a constexpr to the kernel."""
# import triton.language as tl
#+
#+
#+FLAG = tl.constexpr(1)
#-        if flag > 0:
#+        if FLAG > 0:


# case: none_or_not
# expect: unchanged
"""Whether a pointer was passed is known to the compiler, in either way of asking; so is the type
of what it points to."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, W, B, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if W is not None:
            x *= tl.load(W + cols, mask=cols < n)
        if B:
            x += tl.load(B + cols, mask=cols < n)
        if X.dtype.element_ty == tl.float16:
            x = x.to(tl.float32)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# case: ternary
# like: too_many_statements
# expect: unchanged
"""A ternary is no statement."""
#-        if flag > 0:
#-            x = x * 2.0
#+        x = x * 2.0 if flag > 0 else x
