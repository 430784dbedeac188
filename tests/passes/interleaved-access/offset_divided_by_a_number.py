"""An assigned name is a tensor, which is divided toward zero: the offset is 0, not -1."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    w = 4 - 5
    cols = tl.arange(0, BLOCK)
    a = tl.load(X + row * N + w // 3 + 2 * cols, mask=2 * cols < N, other=0.0)
    b = tl.load(X + row * N + w // 3 + 2 * cols + 1, mask=2 * cols + 1 < N, other=0.0)
    tl.store(Y + row * BLOCK + cols, a * b)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, 64, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=64)
    return y
