# expect: silent
"""`other=1` is no float's: these are counts."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["tokens"])
def at_least_one(COUNTS, SAFE, tokens, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    count = tl.load(COUNTS + rows, mask=rows < tokens, other=1)
    tl.store(SAFE + rows, tl.maximum(count, 1), mask=rows < tokens)
