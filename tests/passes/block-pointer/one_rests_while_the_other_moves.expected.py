"""The first move of one is along no axis that the other has: the steps of each are counted apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, stride, M, N, B: tl.constexpr):
    offs_m = tl.arange(0, B).to(tl.int64)
    offs_n = tl.arange(0, B).to(tl.int64)
    offs_m += 1
    x = tl.load(
        X + offs_m[:, None] * stride + offs_n[None, :],
        mask=(offs_m[:, None] < M) & (offs_n[None, :] < N),
        other=0.0,
    ).to(tl.float32)
    z = tl.load(Z + offs_n, mask=offs_n < N, other=0.0).to(tl.float32)
    offs_n += B
    x += tl.load(
        X + offs_m[:, None] * stride + offs_n[None, :],
        mask=(offs_m[:, None] < M) & (offs_n[None, :] < N),
        other=0.0,
    ).to(tl.float32)
    z += tl.load(Z + offs_n, mask=offs_n < N, other=0.0).to(tl.float32)
    offs = tl.arange(0, B)
    tl.store(Y + offs[:, None] * B + offs[None, :], x + z[None, :])


def run(x: torch.Tensor, z: torch.Tensor):
    m, n = x.shape
    assert z.numel() == n
    x, z = x.contiguous(), z.contiguous()
    y = torch.empty((8, 8), dtype=torch.float32, device=x.device)
    kernel[(1,)](x, z, y, x.stride(0), m, n, B=8)
    return y
