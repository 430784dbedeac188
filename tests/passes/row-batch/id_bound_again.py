# options: elements=64
"""The name of the program id is bound again, so it stays; another ROWS is taken."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, first, stride, N, ROWS, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    row = row + first
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    y = tl.sum(x, axis=0) * ROWS
    tl.store(Y + row, y)


# tritonopt: x: f32[m, n]
def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, dtype=torch.float32, device=x.device)
    if m > 1:
        kernel[(m - 1,)](x, y, 1, x.stride(0), n, 2, BLOCK=triton.next_power_of_2(n))
    return y
