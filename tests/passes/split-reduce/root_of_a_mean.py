# options: turns=1
"""What is done with a sum need not be linear."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, eps, BLOCK: tl.constexpr):
    """Root of the mean square of each row."""
    row = tl.program_id(0)
    squares = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += tl.sum(x * x, axis=0)
    tl.store(Y + row, tl.sqrt(squares / N + eps))


def reduced(x: torch.Tensor, eps: float = 1e-6):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, eps, BLOCK=64)
    return y
