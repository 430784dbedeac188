"""The row is compared, and is an offset itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, S, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = (row < M) & (cols < N)
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    tl.store(Y + row * stride + cols, x * 2, mask=mask)
    tl.store(S + row, tl.max(x, axis=0), mask=row < M)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    s = torch.empty((m,), dtype=x.dtype, device=x.device)
    kernel[(m,)](x, y, s, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y, s
