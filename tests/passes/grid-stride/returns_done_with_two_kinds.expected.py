# options: programs=2
"""Tiles of two kinds are done early, and all three bind the same names."""

import torch
import triton
import triton.language as tl


@triton.jit
def tril_kernel(
    x, out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, NUM_TILES=None
):
    pid_n = tl.program_id(1)
    cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid_m in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
        mask = (rows < M) & (cols < N)
        offs = rows * N + cols

        # Wholly above the diagonal.
        if pid_n * BLOCK_N > pid_m * BLOCK_M + BLOCK_M - 1:
            value_2 = 0.0
            tl.store(out + offs, value_2, mask=mask)
            pass  # nothing was read
        else:
            # Wholly below.
            if pid_n * BLOCK_N + BLOCK_N - 1 <= pid_m * BLOCK_M:
                value_3 = tl.load(x + offs, mask=mask, other=0.0)
                tl.store(out + offs, value_3, mask=mask)
            else:
                # Across it.
                value = tl.load(x + offs, mask=mask & (cols <= rows), other=0.0)
                tl.store(out + offs, value, mask=mask)


# tritonopt: x: f32[m, n]
def tril(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.empty_like(x)
    num_tiles = triton.cdiv(m, 4)
    tril_kernel[(min(num_tiles, 2), triton.cdiv(n, 8))](
        x, out, m, n, BLOCK_M=4, BLOCK_N=8, NUM_TILES=num_tiles
    )
    return out
