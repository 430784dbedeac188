# expect: silent
"""Where the rest of a batch begins; it is another one at each call, too."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["num_tokens", "most"])
def pad(SLOTS, num_tokens, most, BLOCK: tl.constexpr):
    for start in range(num_tokens, most, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        tl.store(SLOTS + offsets, tl.full([BLOCK], -1, tl.int32), mask=offsets < most)
