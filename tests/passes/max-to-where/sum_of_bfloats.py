# expect: missed type-is-unknown
"""The sum of bf16 is fp32 or bf16, by the version of Triton."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.bfloat16)
    total = tl.sum(x, axis=0)
    total = tl.maximum(total, 0.1)
    tl.store(Y, total)
