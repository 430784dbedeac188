# with: loop-unswitch
"""Programs that the condition leaves out find all lanes masked off."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    cols = start + tl.arange(0, BLOCK)
    mask = cols < n
    # Without iterations of the loop below, nothing is loaded.
    b = tl.load(B + cols, mask=mask & (m > 0), other=0.0)
    if start < n:
        for row in range(m):
            x = tl.load(X + row * n + cols, mask=mask, other=0.0)
            x += b
            tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16) + 2,)](x, b, out, m, n, BLOCK=16)
    return out
