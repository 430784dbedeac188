import torch
import triton
import triton.language as tl


# case: fourth_axis
# expect: finding, no-such-axis
"""A grid has three axes."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.program_id(3) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + c, tl.load(X + c))
