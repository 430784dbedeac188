# options: programs=2
"""Tiles of two kinds are done early, and all three bind the same names."""

import torch
import triton
import triton.language as tl


@triton.jit
def tril_kernel(x, out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    mask = (rows < M) & (cols < N)
    offs = rows * N + cols

    # Wholly above the diagonal.
    if pid_n * BLOCK_N > pid_m * BLOCK_M + BLOCK_M - 1:
        value = 0.0
        tl.store(out + offs, value, mask=mask)
        return  # nothing was read

    # Wholly below.
    if pid_n * BLOCK_N + BLOCK_N - 1 <= pid_m * BLOCK_M:
        value = tl.load(x + offs, mask=mask, other=0.0)
        tl.store(out + offs, value, mask=mask)
        return

    # Across it.
    value = tl.load(x + offs, mask=mask & (cols <= rows), other=0.0)
    tl.store(out + offs, value, mask=mask)


# tritonopt: x: f32[m, n]
def tril(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.empty_like(x)
    tril_kernel[(triton.cdiv(m, 4), triton.cdiv(n, 8))](x, out, m, n, BLOCK_M=4, BLOCK_N=8)
    return out
