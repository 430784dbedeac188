# expect: analysis compiler-is-not-told
"""How far rows of indices are apart does not change from call to call."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def slots_of(BLOCKS, POSITIONS, SLOTS, stride, N, PAGE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    position = tl.load(POSITIONS + tl.program_id(0) * stride + cols, mask=mask, other=0)
    block = tl.load(BLOCKS + position // PAGE, mask=mask, other=0)
    tl.store(SLOTS + tl.program_id(0) * stride + cols, block * PAGE + position % PAGE, mask=mask)
