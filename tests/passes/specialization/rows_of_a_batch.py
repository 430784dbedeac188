# expect: silent
"""Counts of a batch, chunk after chunk: its size is where the rows of counts begin, too."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["batch"])
def chunks_of(LENGTHS, CHUNKS, batch, CHUNK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    length = tl.load(LENGTHS + rows, mask=rows < batch, other=0)
    chunk = tl.program_id(1)
    left = tl.maximum(length - chunk * CHUNK, 0)
    tl.store(CHUNKS + chunk * batch + rows, (left + 3) // 4, mask=rows < batch)
