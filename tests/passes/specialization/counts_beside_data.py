# expect: silent
"""The data have a length of their own; the one that is listed ends nothing but counts."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["batch"])
def scale(X, Y, COUNTS, batch, N, BATCH: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, BATCH)
    counts = tl.load(COUNTS + rows, mask=rows < batch, other=0)
    before = tl.sum(tl.where(rows < tl.program_id(0), counts, 0))
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + before * N + cols, mask=cols < N).to(tl.float32)
    tl.store(Y + before * N + cols, x * 2.0, mask=cols < N)
