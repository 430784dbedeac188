# options: turns=2
"""After the second loop a name of it stands for something else."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, W, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)

    # The row again, from the cache.
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask)
        tl.store(Y + cols, x * rstd * w, mask=mask)
    cols = row
    tl.store(Rstd + cols, rstd)


def rms_norm(x: torch.Tensor, w: torch.Tensor, eps: float = 1e-6):
    m, n = x.shape
    y = torch.empty_like(x)
    rstd = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, w, rstd, x.stride(0), n, eps, BLOCK=64, num_warps=2)
    return y, rstd
