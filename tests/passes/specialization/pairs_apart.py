# expect: silent
"""The second of each pair is `inner` further on: that is 1, and pairs are two apart."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["outer", "inner"])
def pack(SCORES, PACKED, outer, inner, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    score = tl.load(SCORES + cols, mask=cols < N)
    pair = PACKED + cols * outer
    tl.store(pair, score, mask=cols < N)
    tl.store(pair + inner, score * 2.0, mask=cols < N)
