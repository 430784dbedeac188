# expect: silent
"""One program alone changes the counter: the others see that they are not the first."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Steps, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, x * 2, mask=cols < N)
    if row == 0:
        tl.store(Steps, tl.load(Steps) + 1)


def launch(x: torch.Tensor, steps: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, steps, n, n, BLOCK=triton.next_power_of_2(n))
