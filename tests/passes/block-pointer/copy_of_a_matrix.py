# verify: always
"""Two axes, both checked, zeros outside; two block pointers share their offsets."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride_xm, stride_xn, stride_ym, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    x_block = tl.make_block_ptr(
        X, (M, N), (stride_xm, stride_xn), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0)
    )
    y_block = tl.make_block_ptr(Y, (M, N), (stride_ym, 1), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
    tl.store(y_block, x * 2, boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, 8), triton.cdiv(n, 16))
    kernel[grid](x, y, x.stride(0), x.stride(1), y.stride(0), m, n, BM=8, BN=16)
    return y
