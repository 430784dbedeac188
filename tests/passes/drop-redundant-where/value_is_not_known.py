import torch
import triton
import triton.language as tl


# case: carried_from_the_last_tile
# expect: not applied, value-is-not-known
"""What is multiplied is the tile of the iteration before, which had a mask of its own."""


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    before = tl.zeros([BLOCK], dtype=tl.float32)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.where(cols < N, x * before, 0.0)
        before = x
    tl.store(OUT, tl.sum(acc, axis=0))


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    out = torch.empty(1, device=x.device)
    kernel[(1,)](x, out, x.numel(), BLOCK=16)
    return out


# case: centered
# like: exponential_of_zero
# expect: not applied, value-is-not-known
"""Centered on the mean, the masked lanes are -mean."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    mean = tl.sum(x, axis=0) / N
#+    value = tl.where(mask, x - mean, 0.0)
#+    value = value / tl.sqrt(tl.sum(value * value, axis=0) / N)


# case: constant_before_a_star
# like: constant_of_the_module
# expect: not applied, value-is-not-known
"""What is imported behind the constant may be called like it."""
#-
#-import sys

#-setattr(sys.modules[__name__], "NEUTRAL", tl.constexpr(1.0))
#+from constants import *  # noqa: E402, F403


# case: constant_in_the_namespace
# like: constant_of_the_module
# expect: not applied, value-is-not-known
"""The constant is given another value through the namespace of the module."""
#-
#-import sys

#-setattr(sys.modules[__name__], "NEUTRAL", tl.constexpr(1.0))
#+globals().update(NEUTRAL=tl.constexpr(1.0))


# case: constant_of_the_module
# expect: not applied, value-is-not-known
"""The constant is given another value through the module itself."""

import sys

import torch
import triton
import triton.language as tl

NEUTRAL = tl.constexpr(0.0)
setattr(sys.modules[__name__], "NEUTRAL", tl.constexpr(1.0))


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    cols = tile * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + cols, mask=mask, other=NEUTRAL).to(tl.float32)
    v = tl.where(mask, v, 0.0)
    tl.store(out + tile, tl.sum(v, axis=0))


def run(x: torch.Tensor):
    tiles = triton.cdiv(x.numel(), 64)
    out = torch.empty(tiles, device=x.device)
    kernel[(tiles,)](x, out, x.numel(), BLOCK=64)
    return out


# case: negated_integers
# like: cleared_twice
# expect: not applied, value-is-not-known
"""The negative of the integer 0 is 0, and 0.0 as a float."""
#-    x = tl.load(X + cols, mask=mask)
#-    y = tl.where(mask, tl.where(mask, x, 0), 0.0) * 3.5
#+    x = tl.load(X + cols, mask=mask, other=0)
#+    y = tl.where(mask, (-x).to(tl.float32), -0.0)


# case: one_factor_is_not_loaded_there
# like: exponential_of_zero
# expect: not applied, value-is-not-known
"""0 times a scale is NaN where the scale is inf, and -0.0 where it is negative."""
#-def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
#+def kernel(X, W, OUT, N, scale, BLOCK: tl.constexpr):
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = 1.0 / tl.where(mask, x * scale, 0.0)
#-    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, w, out, n, -2.0, BLOCK=triton.next_power_of_2(n))


# case: rebound_name
# like: exponential_of_zero
# expect: not applied, value-is-not-known
"""The name is bound again between the load and the `tl.where`."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    x = x + tl.sum(w, axis=0)
#+    value = tl.where(mask, x * w + x, 0.0)


# case: rounded_other
# like: exponential_of_zero
# expect: not applied, value-is-not-known
"""0.1 is another number in each type."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    x = tl.load(X + row * N + cols, mask=mask, other=0.1).to(tl.float32)
#+    w = tl.load(W + cols, mask=mask, other=0.1).to(tl.float32)
#+    value = tl.where(mask, x + w, 0.2)


# case: softmax
# like: exponential_of_zero
# expect: not applied, value-is-not-known
"""A row of -inf has -inf for its maximum: -inf - -inf is NaN, which the `tl.where` keeps out."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
#+    value = tl.exp(x - tl.max(x, axis=0))
#+    value = tl.where(mask, value, 0.0)


# case: sum_of_fused_deviations
# expect: not applied, value-is-not-known
"""What fuse-stats writes: deviations from a shift, which are -shift past the end of the row."""


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        deviation = tl.where(cols < N, x - shift, 0.0)
        squares += deviation * deviation
    m2 = tl.sum(squares, axis=0)
    m2 = tl.where(m2 < 0.0, 0.0, m2)
    tl.store(OUT, m2)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    out = torch.empty(1, device=x.device)
    kernel[(1,)](x, out, x.numel(), BLOCK=16)
    return out
