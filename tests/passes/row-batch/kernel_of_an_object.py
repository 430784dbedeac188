"""An object keeps the kernel, and its method launches it; the class holds another name for it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


class Centering:
    held = kernel

    def __init__(self):
        self.kernel = kernel

    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        self.kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y

    def again(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        self.held[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y


# tritonopt: x: f32[m, n]
def centered(x):
    centering = Centering()
    return centering.again(centering.forward(x.contiguous()))
