# verify: always
"""Two axes, both checked, zeros outside; two block pointers share their offsets."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride_xm, stride_xn, stride_ym, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    offs_m = pid_m * BM + tl.arange(0, BM).to(tl.int64)
    offs_n = pid_n * BN + tl.arange(0, BN).to(tl.int64)
    x_block = X + offs_m[:, None] * stride_xm + offs_n[None, :] * stride_xn
    y_block = Y + offs_m[:, None] * stride_ym + offs_n[None, :]
    x = tl.load(x_block, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N), other=0.0)
    tl.store(y_block, x * 2, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, 8), triton.cdiv(n, 16))
    kernel[grid](x, y, x.stride(0), x.stride(1), y.stride(0), m, n, BM=8, BN=16)
    return y
