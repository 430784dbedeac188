# expect: silent
"""What is read is what this kernel has stored before."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    tl.store(Y + offsets, tl.load(X + offsets, mask=mask), mask=mask)
    y = tl.load(Y + offsets, mask=mask)
    tl.store(Y + offsets, y + 1, mask=mask)
