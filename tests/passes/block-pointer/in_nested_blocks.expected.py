"""The offsets that both branches need are computed once, above them."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Z, n, HAS_Z: tl.constexpr, B: tl.constexpr):
    begin = tl.program_id(0) * B
    x = tl.zeros((B,), dtype=tl.float32)
    offs_n = begin + tl.arange(0, B).to(tl.int64)
    # Z comes first
    if HAS_Z:
        z_block = Z + offs_n
        x += tl.load(z_block, mask=offs_n < n, other=0.0).to(tl.float32)
    if n > 2:
        x_block = X + offs_n
        x += tl.load(x_block, mask=offs_n < n, other=0.0).to(tl.float32)
    y_block = Y + offs_n
    tl.store(y_block, x.to(y_block.dtype.element_ty), mask=offs_n < n)


def run(x: torch.Tensor, z: torch.Tensor = None):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, y, z, n, HAS_Z=z is not None, B=16)
    return y
