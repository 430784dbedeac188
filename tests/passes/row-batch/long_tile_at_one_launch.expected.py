# options: elements=64,several_tiles=true
"""At one of two launches a tile is as much as a program should hold; it stays as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def gathered_kernel(
    X,
    Places,
    Out,
    N,
    K,
    num_rows,
    BLOCK: tl.constexpr,
    BLOCK_K: tl.constexpr,
    ROWS: tl.constexpr,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        total += tl.load(X + rows * N + cols, mask=row_mask & (cols < N), other=0.0)
    mean = tl.sum(total, axis=1, keep_dims=True) / N
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)[None, :]
        places = tl.load(Places + rows * K + k, mask=row_mask & (k < K), other=0)
        x = tl.load(X + rows * N + places, mask=row_mask & (k < K), other=0.0)
        tl.store(Out + rows * K + k, x - mean, mask=row_mask & (k < K))


# tritonopt: x: f32[rows, n], places: i64[rows, k] in 0..n, block: 4|64
def gathered(x, places, block):
    rows, n = x.shape
    k = places.shape[1]
    out = torch.empty(rows, k, device=x.device)
    x = x.contiguous()
    places = places.contiguous()
    if n > 16:
        # A program takes about 64 elements, of several rows where these are short.
        rows_per_program = max(64 // max(block, 32), 1)
        gathered_kernel[(triton.cdiv(rows, rows_per_program),)](
            x, places, out, n, k, rows, BLOCK=32, BLOCK_K=block, ROWS=rows_per_program
        )
    else:
        # A program takes about 64 elements, of several rows where these are short.
        rows_per_program = max(64 // max(block, 16), 1)
        gathered_kernel[(triton.cdiv(rows, rows_per_program),)](
            x, places, out, n, k, rows, BLOCK=16, BLOCK_K=block, ROWS=rows_per_program
        )
    return out
