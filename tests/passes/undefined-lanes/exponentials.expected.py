# verify: counterexample, the original takes in a 0 that GPUs read there
"""exp(0) is 1, so what hardware puts into the lanes counts."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols <= N - 1, other=float("-inf"))
    tl.store(Y + row, tl.sum(tl.exp(x)))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
