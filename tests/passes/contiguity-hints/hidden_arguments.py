# expect: missed not-shown
"""The launch hides what it passes behind a star."""

import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def repeat(*arguments):
    assert arguments[2] % 64 == 0
    repeat_kernel[(8,)](*arguments, BLOCK=64)
