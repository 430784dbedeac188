# expect: silent
"""A batch of another length at each call, of which nothing but indices is read."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["num_tokens"])
def slots_of(BLOCKS, POSITIONS, SLOTS, num_tokens, PAGE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < num_tokens
    position = tl.load(POSITIONS + offsets, mask=mask, other=0)
    block = tl.load(BLOCKS + position // PAGE, mask=mask, other=0)
    tl.store(SLOTS + offsets, block * PAGE + position % PAGE, mask=mask)
