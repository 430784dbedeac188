"""Tiles that are added up, and reduced behind the loops: they grow."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total_tile = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total_tile += x
            squares += x * x
    total = tl.sum(total_tile, axis=0) + tl.sum(squares)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y
