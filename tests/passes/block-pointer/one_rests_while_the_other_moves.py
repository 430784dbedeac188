"""The first move of one is along no axis that the other has: the steps of each are counted apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, stride, M, N, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (M, N), (stride, 1), (0, 0), (B, B), (1, 0))
    z_block = tl.make_block_ptr(Z, (N,), (1,), (0,), (B,), (0,))
    x_block = tl.advance(x_block, (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    z = tl.load(z_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    x_block = tl.advance(x_block, (0, B))
    z_block = tl.advance(z_block, (B,))
    x += tl.load(x_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    z += tl.load(z_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    offs = tl.arange(0, B)
    tl.store(Y + offs[:, None] * B + offs[None, :], x + z[None, :])


def run(x: torch.Tensor, z: torch.Tensor):
    m, n = x.shape
    assert z.numel() == n
    x, z = x.contiguous(), z.contiguous()
    y = torch.empty((8, 8), dtype=torch.float32, device=x.device)
    kernel[(1,)](x, z, y, x.stride(0), m, n, B=8)
    return y
