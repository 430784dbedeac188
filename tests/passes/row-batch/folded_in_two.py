# expect: missed not-lane-by-lane
"""The tile of a row is folded into one of two axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    pairs = tl.sum(tl.reshape(x, (BLOCK // 2, 2)), axis=1)
    half = tl.arange(0, BLOCK // 2)
    tl.store(Y + row * stride + half, pairs, mask=half < N // 2)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
