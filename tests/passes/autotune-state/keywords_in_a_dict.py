# expect: analysis state-is-not-restored
"""The keywords restore nothing."""

import torch
import triton
import triton.language as tl


SUPPORTED = hasattr(triton, "knobs")
KEYWORDS = {"cache_results": True} if SUPPORTED else {}


@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **KEYWORDS)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offs, mask=offs < N, other=0.0)
    tl.store(X + offs, x * 2, mask=offs < N)
