# expect: missed unseen-launches
"""An object keeps the kernel, or another one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


@triton.jit
def other_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    tl.store(Y + tl.program_id(0), tl.load(X + tl.program_id(0) * stride))


class Centering:
    def __init__(self, plain):
        self.kernel = kernel
        if plain:
            self.kernel = other_kernel

    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        self.kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y
