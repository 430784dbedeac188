import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out


# case: asked_beside_a_constexpr
"""The same is asked elsewhere in the loop, which needs no condition of the compiler."""


@triton.jit
def kernel(X, Out, n, scale, HAS_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if scale > 0.0:
            x = x + 1.0
        if HAS_SCALE:
            if scale > 0.0:
                x = x * scale
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], scale: 0.5|-2.0, scaled: bool
def run(x: torch.Tensor, scale: float, scaled: bool):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, out, n, scale, HAS_SCALE=scaled, BLOCK=16)
    return out


# case: asked_twice
"""The same is asked twice in an iteration, and the contrary once: all three are decided."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag == 1:
            x = x * 2.0
        acc += x
        if flag != 1:
            acc += 1.0
        if start > 0:
            if flag == 1:
                acc -= 2.0
            else:
                acc -= 3.0
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# shared: run


# case: atomics_inside
"""Atomics and barriers run in the order they did: the condition is one and the same for the
program."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        tl.debug_barrier()
        if flag > 0:
            tl.atomic_add(Out + row, tl.sum(x, axis=0))
        else:
            tl.atomic_max(Out + row, tl.max(x, axis=0))


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.zeros(m, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out


# case: branch_then_load
# with: licm
"""Once the branch is out of the loop, every iteration of one copy comes to the load."""


@triton.jit
def kernel(X, Scale, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for i in range(0, 2):
        cols = i * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n)
        if flag > 0:
            scale = tl.load(Scale + row)
            x = x * scale
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], scale: f32[m], flag: int in 0..1
def run(x, scale, flag):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, scale, out, n, flag, BLOCK=16)
    return out


# case: comment_at_the_end
# verify: no, without_else is verified, and differs in its comments alone
"""The comment behind the last statement stays below the kernel, once."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < n)
        if flag > 0:
            x = -x  # the other way round
        tl.store(Out + cols, x, mask=cols < n)
        # Nothing is left to do.


def run(x, flag):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), flag, BLOCK=16)
    return out


# case: condition_named_inside
# like: under_a_varying_if
"""What the condition is made of is bound in the loop, and moves above it with its comment."""
#         cols = start + tl.arange(0, BLOCK)
#+        last = tl.num_programs(0) - 1
#+        # The last row is special.
#+        special = row == last  # where flag says so
#-        if start > 0:
#-            acc += x
#-            if flag > 0:
#-                acc += 1.0
#+        if special & (flag > 0):
#+            x = -x
#+        acc += x


# case: elif_chain
"""A chain of conditions becomes a chain of copies, as far as they do not change."""


@triton.jit
def kernel(X, Out, n, mode, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if mode == 0:
            acc += x
        # Only the first row.
        elif row == 0:
            acc += x * 2.0
        # From here on the tile decides.
        elif start == 0:
            acc = x
        else:
            acc -= x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# shared: run


# case: if_else
# like: under_a_varying_if
# verify: no, elif_chain is verified, and has one way more
"""One of two ways for every tile, chosen by an argument."""
#     acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    # Every tile of the row.
#-        if start > 0:
#+        # Squares weigh more.
#+        if flag > 0:  # as the caller wants it
#+            acc += x * x
#+        else:  # the plain sum
#-            if flag > 0:
#-                acc += 1.0


# case: inner_loop_only
# verify: no, nest is verified, and is copied alike
"""The outer loop's own counter decides, so the branch moves out of the inner loop alone."""


@triton.jit
def kernel(X, Out, m, n, flag, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), m, 2):
        low = tl.full([BLOCK], float("inf"), tl.float32)
        for start in range(0, n, BLOCK):
            x = tl.load(X + row * n + start + lanes, mask=start + lanes < n, other=float("inf"))
            if row > flag:
                low = tl.where(x < low, x, low)
            else:
                low = tl.where(x < 0.0, 0.0, low)
        tl.store(Out + row * BLOCK + lanes, low)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.zeros(m, 16, device=x.device)
    kernel[(2,)](x, out, m, n, flag, BLOCK=16)
    return out


# case: loaded_before
# verify: no, it differs from cases that are verified in its layout alone
"""The condition is loaded before the loop. Two blanks to a level, and the language by another
name."""

import torch
import triton.language as lang
from triton import jit
from triton.language import constexpr


@jit
def kernel(X, Flag, Out, n, BLOCK: constexpr):
  row = lang.program_id(0)
  chosen = lang.load(Flag + row)
  best = lang.zeros([BLOCK], dtype=lang.float32)
  for start in range(0, n, BLOCK):
    cols = start + lang.arange(0, BLOCK)
    x = lang.load(
        X + row * n + cols,
        mask=cols < n,
        other=0.0,
    )
    if (
        chosen > 0
        and n > 20
    ):
      best = lang.where(
          best > x,
          best,
          x,
      )
    else:
      best = best + x
  lang.store(Out + row * BLOCK + lang.arange(0, BLOCK), best)


# tritonopt: x: f32[m, n], flag: i32[m] in 0..2
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, flag, out, n, BLOCK=16)
    return out


# case: mixed_condition
# verify: no, without_else is verified, and is copied alike
"""A part of the condition is known to the compiler: it moves as it is written."""


@triton.jit
def kernel(X, Bias, Out, n, flag, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n)
        if HAS_BIAS and flag > 0:
            x += tl.load(Bias + cols, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], bias: f32[n], flag: int in 0..1
def run(x, bias, flag):
    out = torch.empty_like(x)
    m, n = x.shape
    kernel[(m,)](x, bias, out, n, flag, HAS_BIAS=True, BLOCK=16)
    return out


# case: nest
"""The condition moves out of both loops; an inner one goes with the copies."""


@triton.jit
def kernel(X, Out, m, n, flag, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), tl.float32)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        base = X + row * n
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(base + cols, cols < n, 0.0)
            if flag == 1:
                x = x.to(tl.float32) * row
            acc = acc + x
    tl.store(Out + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), acc)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(2, 16, device=x.device)
    kernel[(2,)](x, out, m, n, flag, BLOCK=16)
    return out


# case: nothing_else_to_do
"""Without the branch the loop does nothing that anybody could see, so there is no second copy."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n)
        if flag > 0:
            tl.store(Out + row * n + cols, x + 1.0, mask=cols < n)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    out = torch.zeros_like(x)
    m, n = x.shape
    kernel[(m,)](x, out, n, flag, BLOCK=32)
    return out


# case: same_bounds_before
# verify: no, the question is one of types, and the compiler is asked
"""An earlier loop counts with the same name over the same range, so with the same type."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for i in range(0, n):
        total += tl.load(X + row * n + i)
    for i in range(0, n):
        if flag > 0:
            total = total * 0.5
        else:
            total += 1.0
    tl.store(Out + row * BLOCK, total)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.zeros(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out


# case: two_conditions
"""Two conditions make four copies, one after the other, while they are few statements."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for i in range(n):
        x = tl.load(X + row * n + i)
        if flag > 0:
            x = x * 2.0
        if row > 1:
            x = x + 1.0
        total += x
    tl.store(Out + row * BLOCK, total)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.zeros(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out


# case: under_a_constexpr_that_changes
"""What is no condition of the compiler, for it changes, stays where it is."""


@triton.jit
def kernel(X, Out, n, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    FIRST: tl.constexpr = True
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if FIRST:
            if scale > 0.0:
                x = x * scale
        FIRST = False
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], scale: 0.5|-2.0
def run(x: torch.Tensor, scale: float):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, out, n, scale, BLOCK=16)
    return out


# case: under_a_varying_if
# verify: no, asked_twice is verified, and has such an if
"""The condition around it changes with the tile, and stays."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if start > 0:
            acc += x
            if flag > 0:
                acc += 1.0
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# shared: run


# case: while_loop
"""A while loop is copied as any other."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    start = 0
    while start < n:
        x = tl.load(X + row * n + start + lanes, mask=start + lanes < n, other=0.0)
        if flag != 0:
            acc += x
        start += BLOCK
    tl.store(Out + row * BLOCK + lanes, acc)


# shared: run


# case: without_else
"""Without an else, one copy does without the statements of the branch, and without the comments on
it."""


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, n, BLOCK, num_stages=2):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(
            X + row * n + cols,
            mask=cols < n,  # the last tile is short
            other=0.0,
        )
        # Negative values count as nothing.
        if flag:
            x = tl.where(x > 0.0, x, 0.0)
            # So the sum is one of what is left.
        acc += x
        # The end of the tile.
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# shared: run
