# expect: silent
"""What the launcher checks of the last axis keeps longer rows away."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols)
    tl.store(Y + row * stride + cols, x * 2)


def launch(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    assert m <= 131072 and x.shape[-1] <= 8192
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), BLOCK=n)
    return y
