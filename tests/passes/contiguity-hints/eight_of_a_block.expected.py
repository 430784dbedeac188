# verify: always
# options: least=8
"""The length is a multiple of 8, the block has 32 lanes: groups of 8 are all that is true."""

import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    # True if N and BLOCK are multiples of 8.
    src = tl.max_contiguous(tl.multiple_of(src, 8), 8)
    tl.store(Y + offs, tl.load(X + src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    x = x[:50]
    n = x.numel() * 8
    x = x.repeat(8)
    y = torch.empty(triton.cdiv(2 * n, 32) * 32, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 32),)](x, y, n, BLOCK=32)
    return y
