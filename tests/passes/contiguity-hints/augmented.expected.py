"""`offs %= N` computes it in place; the hint goes below."""

import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    offs %= N
    # True if N is a multiple of BLOCK.
    offs = tl.max_contiguous(tl.multiple_of(offs, BLOCK), BLOCK)
    x = tl.load(X + offs)
    tl.store(Y + pid * BLOCK + tl.arange(0, BLOCK), x)


BLOCK = 16


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    n = x.numel()
    if n % BLOCK != 0:
        raise ValueError("not a whole number of blocks")
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(2 * n // BLOCK,)](x, y, n, BLOCK)
    return y
