# verify: always
"""What the loop stores is a tensor of the launcher's own."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in tl.range(0, N, BLOCK, num_stages=3):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * 2.0, mask=cols < N)


def scaled(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    scale[(m,)](x, y, n, BLOCK=64)
    return y
