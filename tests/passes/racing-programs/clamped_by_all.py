# expect: silent
"""All programs store the same, and doing it again changes nothing."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Scale, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    scale = tl.maximum(tl.load(Scale + cols, mask=cols < N, other=0.0), 0.0)
    tl.store(Scale + cols, scale, mask=cols < N)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, x * scale, mask=cols < N)


def launch(x: torch.Tensor, scale: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, scale, n, n, BLOCK=triton.next_power_of_2(n))
