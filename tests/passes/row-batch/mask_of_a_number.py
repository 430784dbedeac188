# expect: missed mask-is-not-boolean
"""A mask that is loaded, and is a number."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, K, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    keep = tl.load(K + cols, mask=cols < N, other=0)
    x = tl.load(X + row * stride + cols, mask=keep, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], k: bool[n]
def run(x: torch.Tensor, k: torch.Tensor):
    m, n = x.shape
    x, k = x.contiguous(), k.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, k, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
