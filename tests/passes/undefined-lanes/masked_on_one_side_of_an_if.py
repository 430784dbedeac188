# expect: analysis undefined-lanes-reduced
"""Only the last tile is masked, and it is summed like the others."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(X + row * stride + cols)
    else:
        x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row, tl.sum(x, 0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, y, x.stride(0), n, EVEN=n == block, BLOCK=block)
    return y
