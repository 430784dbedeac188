# expect: silent
"""What the number of a lane is compared with is no data."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["tokens"])
def is_padding(ENDS, PADDING, tokens, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    end = tl.load(ENDS + rows, mask=rows < tokens, other=0)
    tl.store(PADDING + rows, rows >= end, mask=rows < tokens)
