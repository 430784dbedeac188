# expect: silent
"""Between two bounds, and whole, once and for all."""

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
    tl.store(X + offsets, tl.clamp(tl.floor(x), 0.0, 6.0).to(tl.float16), mask=mask)
