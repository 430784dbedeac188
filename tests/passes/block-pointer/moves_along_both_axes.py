# verify: always
"""A square block that moves further along one axis than along the other: the offsets are two."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, steps, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (M, N), (stride, 1), (0, 0), (B, B), (1, 0))
    total = tl.zeros((B, B), dtype=tl.float32)
    for _ in range(steps):
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        total += x.to(tl.float32)
        x_block = tl.advance(x_block, (1, 2))
    offs = tl.arange(0, B)
    tl.store(Y + offs[:, None] * B + offs[None, :], total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((8, 8), dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, x.stride(0), m, n, 3, B=8)
    return y
