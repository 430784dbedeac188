# verify: always
# options: least=4
"""A heuristic chooses the block; the stride is 1 at every launch."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda args: 32})
@triton.jit
def repeat_kernel(X, Y, N, stride, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    # True if N and BLOCK are multiples of 4.
    src = tl.max_contiguous(tl.multiple_of(src, 4), 4)
    tl.store(Y + offs, tl.load(X + src * stride))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    x = x.repeat(4)
    n = x.numel()
    if n % 4 == 0:
        y = torch.empty(triton.cdiv(n, 32) * 32, dtype=x.dtype, device=x.device)
        repeat_kernel[(triton.cdiv(n, 32),)](x, y, n, 1)
        return y
    return x
