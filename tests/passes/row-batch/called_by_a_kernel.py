# expect: missed unseen-launches
"""Another kernel calls it, with a row of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


@triton.jit
def twice(X, Y, stride, N, BLOCK: tl.constexpr):
    kernel(X, Y, stride, N, BLOCK)
    kernel(Y, Y, stride, N, BLOCK)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


def run_twice(x: torch.Tensor):
    y = torch.empty_like(x)
    twice[(x.shape[0],)](x, y, x.stride(0), x.shape[1], BLOCK=64)
    return y
