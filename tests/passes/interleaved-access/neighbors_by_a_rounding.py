# expect: silent
"""As in Python the quotient were -1, and both loads neighbors; it is 0 where a name is divided."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    w = 4 - 5
    cols = tl.arange(0, BLOCK)
    a = tl.load(X + row * N + w // 3 + 2 * cols)
    b = tl.load(X + row * N + 2 * cols)
    tl.store(Y + row * BLOCK + cols, a * b)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, 64, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=64)
    return y
