"""What is said of statements stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    FLAT_BLOCK: tl.constexpr = 1024
    row = tl.program_id(0) * N * W
    total = 0.0
    for start in range(0, N * W, FLAT_BLOCK):
        place = start + tl.arange(0, FLAT_BLOCK)
        # One tile.
        x = tl.load(X + row + place, mask=place < N * W, other=0.0).to(tl.float32)
        # To the total.
        total += tl.sum(x, axis=0)  # in fp32
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y
