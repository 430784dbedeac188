"""The offsets that both branches need are computed once, above them."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Z, n, HAS_Z: tl.constexpr, B: tl.constexpr):
    begin = tl.program_id(0) * B
    x = tl.zeros((B,), dtype=tl.float32)
    # Z comes first
    if HAS_Z:
        z_block = tl.make_block_ptr(Z, (n,), (1,), (begin,), (B,), (0,))
        x += tl.load(z_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    if n > 2:
        x_block = tl.make_block_ptr(X, (n,), (1,), (begin,), (B,), (0,))
        x += tl.load(x_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    y_block = tl.make_block_ptr(Y, (n,), (1,), (begin,), (B,), (0,))
    tl.store(y_block, x.to(y_block.dtype.element_ty), boundary_check=(0,))


def run(x: torch.Tensor, z: torch.Tensor = None):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, y, z, n, HAS_Z=z is not None, B=16)
    return y
