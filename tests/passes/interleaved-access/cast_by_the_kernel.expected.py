# verify: no, it was run once, and others like it run
"""What is stored is cast to the type of the buffer already, and to one type."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, C, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pairs = 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    pairs_mask = pairs < 2 * n
    real_imag = tl.load(X + pairs, mask=pairs_mask, other=0.0)
    real, imag = tl.split(tl.reshape(real_imag, (BLOCK, 2)))
    c = tl.load(C + k, mask=k < n, other=0.0)
    even = (real * c).to(Y.dtype.element_ty)
    odd = (imag * c).to(Y.dtype.element_ty)
    tl.store(Y + pairs, tl.interleave(even, odd), mask=pairs_mask)


# tritonopt: x: f32[n, 2], c: f32[n]
def run(x: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    y = torch.empty(n, 2, dtype=torch.float16, device=x.device)
    kernel[(triton.cdiv(n, 64),)](x, y, c, n, BLOCK=64)
    return y
