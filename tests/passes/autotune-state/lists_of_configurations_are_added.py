# verify: no, it has no launcher
"""Two lists with one configuration each are two."""

import triton
import triton.language as tl

SMALL = [triton.Config({"BLOCK": 256})]


@triton.autotune(configs=SMALL + [triton.Config({"BLOCK": 1024})], key=["N"])
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask)
    tl.store(X + offsets, x + 1.0, mask=mask)
