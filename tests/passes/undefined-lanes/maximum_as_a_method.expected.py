# verify: counterexample, the original takes in a 0 that GPUs read there
"""A maximum, as a method, of a load with the mask by position."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * stride
    cols = tl.arange(0, BLOCK)
    inside = N > cols
    x = tl.load(X + cols, inside, other=float("-inf")).to(tl.float32)
    tl.store(Y + tl.program_id(0), x.max(0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
