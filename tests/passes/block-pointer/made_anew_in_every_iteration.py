# verify: always
"""The offsets of a tile of the loop are computed in the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride_xm, stride_xn, stride_ym, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m = tl.program_id(0)
    for start in range(0, N, BN):
        x_block = tl.make_block_ptr(
            X, (M, N), (stride_xm, stride_xn), (pid_m * BM, start), (BM, BN), (1, 0)
        )
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        y_block = tl.make_block_ptr(Y, (M, N), (stride_ym, 1), (pid_m * BM, start), (BM, BN), (1, 0))
        tl.store(y_block, x, boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, 8),)
    kernel[grid](x, y, x.stride(0), x.stride(1), y.stride(0), m, n, BM=8, BN=16)
    return y
