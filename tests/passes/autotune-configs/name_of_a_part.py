# expect: missed not-tunable
"""All rows are written through the first one, and a tuner would put back only that."""

import torch
import triton
import triton.language as tl


@triton.jit
def halve(X, N, stride, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(X + tl.program_id(0) * stride + cols, 0.5 * x, mask=cols < N)


def halved(x: torch.Tensor):
    m, n = x.shape
    first = x[0]
    halve[(m,)](first, n, x.stride(0), BLOCK=triton.next_power_of_2(n))
    return x
