# options: elements=64,several_tiles=true
"""At one of two launches a tile is as much as a program should hold; it stays as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def gathered_kernel(X, Places, Out, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        places = tl.load(Places + row * K + k, mask=k < K, other=0)
        x = tl.load(X + row * N + places, mask=k < K, other=0.0)
        tl.store(Out + row * K + k, x - mean, mask=k < K)


# tritonopt: x: f32[rows, n], places: i64[rows, k] in 0..n, block: 4|64
def gathered(x, places, block):
    rows, n = x.shape
    k = places.shape[1]
    out = torch.empty(rows, k, device=x.device)
    x = x.contiguous()
    places = places.contiguous()
    if n > 16:
        gathered_kernel[(rows,)](x, places, out, n, k, BLOCK=32, BLOCK_K=block)
    else:
        gathered_kernel[(rows,)](x, places, out, n, k, BLOCK=16, BLOCK_K=block)
    return out
