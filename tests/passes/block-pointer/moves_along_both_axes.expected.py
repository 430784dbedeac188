# verify: always
"""A square block that moves further along one axis than along the other: the offsets are two."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, steps, B: tl.constexpr):
    offs_m = tl.arange(0, B).to(tl.int64)
    offs_n = tl.arange(0, B).to(tl.int64)
    total = tl.zeros((B, B), dtype=tl.float32)
    for _ in range(steps):
        x = tl.load(
            X + offs_m[:, None] * stride + offs_n[None, :],
            mask=(offs_m[:, None] < M) & (offs_n[None, :] < N),
            other=0.0,
        )
        total += x.to(tl.float32)
        offs_m += 1
        offs_n += 2
    offs = tl.arange(0, B)
    tl.store(Y + offs[:, None] * B + offs[None, :], total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((8, 8), dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, x.stride(0), m, n, 3, B=8)
    return y
