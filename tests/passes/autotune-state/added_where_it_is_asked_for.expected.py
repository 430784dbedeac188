# verify: no, it has no launcher
"""A flag says whether the result is added to what is there."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    restore_value=["C"],
)
@triton.jit
def kernel(A, C, N, BLOCK: tl.constexpr, ACCUMULATE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    c = tl.load(A + offsets, mask=mask) * 2
    if ACCUMULATE:
        c += tl.load(C + offsets, mask=mask)
    tl.store(C + offsets, c, mask=mask)
