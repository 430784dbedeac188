# expect: missed masked-off-lanes-count
"""A tenth less a tenth is not 0 where one of them is of the type of the data, bf16 say."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.1).to(tl.float32)
            total += tl.sum(x - 0.1, axis=0)
    tl.store(Y + tl.program_id(0), total)


@triton.jit
def chosen(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0)
            total += tl.sum(tl.where(w < W, x, 0.1).to(tl.float32) - 0.1, axis=0)
    tl.store(Y + tl.program_id(0), total)


@triton.jit
def added(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0)
            total += tl.sum((x + 0.1).to(tl.float32) - 0.1, axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    for reduced in (kernel, chosen, added):
        reduced[(m,)](x, y, n, w, BLOCK=16)
    return y
