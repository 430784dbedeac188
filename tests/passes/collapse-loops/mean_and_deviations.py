"""Two nests, the second with what the first has found."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    m = tl.program_id(0)
    X += m * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
    mean = total / (N * W)
    squares = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            d = tl.where(w < W, x - mean, 0.0)
            squares += tl.sum(d * d, axis=0)
    tl.store(Y + m, squares / (N * W))


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y
