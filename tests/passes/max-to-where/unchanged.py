import torch
import triton
import triton.language as tl


# case: builtin_and_reduction
# expect: unchanged
"""A reduction over a proper axis and Python's own `max` of numbers are not rewritten."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    top = tl.max(x, 0)
    width: tl.constexpr = max(BLOCK, 16)
    y = x - top + width
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
