# verify: no, it was run once, and others like it run
"""What is stored is cast to the type of the buffer already, and to one type."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, C, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    real = tl.load(X + 2 * k, mask=k < n, other=0.0)
    imag = tl.load(X + 2 * k + 1, mask=k < n, other=0.0)
    c = tl.load(C + k, mask=k < n, other=0.0)
    tl.store(Y + 2 * k, (real * c).to(Y.dtype.element_ty), mask=k < n)
    tl.store(Y + 2 * k + 1, (imag * c).to(Y.dtype.element_ty), mask=k < n)


# tritonopt: x: f32[n, 2], c: f32[n]
def run(x: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    y = torch.empty(n, 2, dtype=torch.float16, device=x.device)
    kernel[(triton.cdiv(n, 64),)](x, y, c, n, BLOCK=64)
    return y
