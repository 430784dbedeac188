"""A blank line stands between the sum of a tile, which a comment explains, and where it is added."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    positive = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        # Of this tile.
        here = (x > 0).to(tl.int32)

        positive += here
    positive = tl.sum(positive, axis=0)
    tl.store(Y + row, positive)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
