# expect: missed unseen-launches
"""A size that was put aside before the tensor got another shape is not the one of later."""

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
    sizes = (x.stride(0), x.shape[1])
    x.resize_(m, 2 * n)
    kernel[(m,)](x, y, *sizes, BLOCK=64)
    return y
