# expect: silent
"""Nothing is computed in floats, and what is loaded is compared with 0: these are counts."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["batch"])
def rejected(DRAFTED, ACCEPTED, REJECTED, batch, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    drafted = tl.load(DRAFTED + rows, mask=rows < batch)
    accepted = tl.load(ACCEPTED + rows, mask=rows < batch)
    left = tl.where(drafted > 0, drafted - accepted, 0)
    tl.store(REJECTED + rows, left, mask=rows < batch)
