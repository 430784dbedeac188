import torch
import triton
import triton.language as tl


# case: helper
# expect: not applied, not-lane-by-lane
"""A helper with a branch, which a tile cannot take."""


@triton.jit
def clipped(x):
    y = x
    if x > 1.0:
        y = 1.0
    return y


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(Y + i, clipped(tl.load(X + i)))


# case: number_of_a_tuple
# expect: not applied, not-lane-by-lane
"""What a tuple holds may be a tile, which would get one more axis."""


@triton.jit
def kernel(X, Y, n, factors, WHICH: tl.constexpr):
    factor = factors[WHICH]
    for i in range(n):
        tl.store(Y + i, tl.load(X + i) * factor)


def run(x: torch.Tensor, factors: tuple):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel(), factors, WHICH=0)
    return y


# case: random_numbers
# expect: not applied, not-lane-by-lane
"""A seed for each iteration, which must be a single number."""


@triton.jit
def kernel(Y, n):
    for i in range(n):
        tl.store(Y + i, tl.rand(i, 0))


# case: least_of_python
# like: count_under_a_condition
# expect: not applied, not-lane-by-lane
# options: block=32
"""The builtin `min`, which has no tiles in the interpreter."""
#-    count = 0
#+    least = 100
#-        val = tl.load(X + i)
#-        if val == 3:
#-            count = count + 1
#-    tl.store(Y, count)
#+        least = min(least, tl.load(X + i))
#+    tl.store(Y, least)
