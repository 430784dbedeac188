# expect: silent
"""What decides which rows are done is a flag, beside data with a length of their own."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["batch"])
def clear(FLAGS, COUNTS, OUT, batch, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    flag = tl.load(FLAGS + rows, mask=rows < batch, other=0)
    count = tl.load(COUNTS + rows * 4, mask=flag != 0).to(tl.float32)
    tl.store(OUT + rows * 4, count / 2.0, mask=flag != 0)
