# expect: missed compiler-knows
"""The compiler brings no single element forward."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for i in range(N):
        total += tl.load(X + row * N + i)
    tl.store(Y + row, total)


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y
