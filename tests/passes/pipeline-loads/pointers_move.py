"""The address of the next turn is made by this one."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    cols = tl.arange(0, BLOCK)
    pointers = X + row * N + cols
    left = N
    for _ in range(tl.cdiv(N, BLOCK)):
        total += tl.load(pointers, mask=cols < left, other=0.0)
        pointers += BLOCK
        left -= BLOCK
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y
