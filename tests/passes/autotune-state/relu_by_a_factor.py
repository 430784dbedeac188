# expect: silent
"""A comparison as a factor: what is left is positive."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask)
    tl.store(X + offsets, x * (x > 0), mask=mask)
