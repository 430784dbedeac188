import torch
import triton
import triton.language as tl


# case: of_libdevice
# expect: finding, no-such-name
"""Functions of libdevice are elsewhere."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.tanh(tl.load(X + c)))


# case: of_the_math_module
# expect: finding, no-such-name
"""Those of older versions too."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.math.pow(tl.load(X + c), 2.0))


# case: misspelled
# expect: finding, no-such-name
"""A letter is wrong."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.maximun(tl.load(X + c), 0.0))


# case: clip_with_names
# expect: finding, no-such-name
"""The parameters of `tl.clamp` have other names."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.clip(tl.load(X + c), a_min=0.0, a_max=1.0))


# case: under_a_condition_of_the_run
# expect: finding, no-such-name
"""Whatever n is, both branches are compiled."""


@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c)
    if n > 0:
        x = tl.tanh(x)
    tl.store(Y + c, x)
