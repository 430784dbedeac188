import torch
import triton
import triton.language as tl


# case: condition_rebound
# expect: unchanged
"""The name in the condition is bound again in the loop."""

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
            flag = flag - 1
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# case: condition_rebound_later
# expect: unchanged
"""The name is bound again behind the branch, for the next iteration."""

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
        flag = n - start
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# case: condition_varies
# expect: unchanged
"""The condition changes with the tile, if only through a name."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        tail = start + BLOCK > n
        if tail:
            x = x * 2.0
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# case: constexpr_condition
# expect: unchanged
"""The compiler knows the condition and removes it."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag > 0:
            x = x * 2.0
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# case: decided_by_a_call
# expect: unchanged
"""Nothing is known of the function that decides."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if is_wanted(flag):
            x = x * 2.0
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


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
# expect: unchanged
"""A module constant is a constexpr to the kernel."""

import triton
import triton.language as tl


FLAG = tl.constexpr(1)


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if FLAG > 0:
            x = x * 2.0
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


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
# expect: unchanged
"""A ternary is no statement."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        x = x * 2.0 if flag > 0 else x
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)
