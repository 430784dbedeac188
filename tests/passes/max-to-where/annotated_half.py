# expect: missed type-changes
"""The parameter is annotated as a pointer to fp16."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X: "*fp16", Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    y = tl.minimum(x, 2.0)
    y += 0.1
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.half()
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
