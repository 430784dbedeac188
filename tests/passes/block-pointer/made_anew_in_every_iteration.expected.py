# verify: always
"""The offsets of a tile of the loop are computed in the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride_xm, stride_xn, stride_ym, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m = tl.program_id(0)
    for start in range(0, N, BN):
        offs_m = pid_m * BM + tl.arange(0, BM).to(tl.int64)
        offs_n = start + tl.arange(0, BN).to(tl.int64)
        x_block = X + offs_m[:, None] * stride_xm + offs_n[None, :] * stride_xn
        x = tl.load(x_block, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N), other=0.0)
        y_block = Y + offs_m[:, None] * stride_ym + offs_n[None, :]
        tl.store(y_block, x, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, 8),)
    kernel[grid](x, y, x.stride(0), x.stride(1), y.stride(0), m, n, BM=8, BN=16)
    return y
