# expect: missed unseen-launches
"""A list that something else is done with may hold any number of arguments."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


def centered(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    sizes = [x.stride(0)]
    sizes.append(n)
    kernel[(m,)](x, y, *sizes, BLOCK=triton.next_power_of_2(n))
    return y
