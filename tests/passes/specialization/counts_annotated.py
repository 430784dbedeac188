# expect: analysis compiler-is-not-told
"""What is annotated was not kept from the compiler on purpose, whatever lies there."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift(COUNTS, SHIFTED, stride: int, apart: int, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    counts = tl.load(COUNTS + tl.program_id(0) * stride + rows * apart).to(tl.int32)
    tl.store(SHIFTED + tl.program_id(0) * stride + rows * apart, counts + 1)
