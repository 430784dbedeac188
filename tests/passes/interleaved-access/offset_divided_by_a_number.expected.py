"""An assigned name is a tensor, which is divided toward zero: the offset is 0, not -1."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    pairs = tl.arange(0, 2 * BLOCK)
    a_b = tl.load(X + row * N + pairs, mask=pairs < N, other=0.0)
    a, b = tl.split(tl.reshape(a_b, (BLOCK, 2)))
    tl.store(Y + row * BLOCK + cols, a * b)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, 64, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=64)
    return y
