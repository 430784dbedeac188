# expect: silent
"""What lanes are added to is an index; the table has as many columns as there are pages now."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["pages"])
def table(OWNERS, TABLE, pages, BLOCK: tl.constexpr):
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    owner = tl.load(OWNERS + tl.program_id(0))
    tl.store(TABLE + tl.program_id(0) * pages + cols, owner * pages + cols, mask=cols < pages)
