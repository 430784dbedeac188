# expect: missed unknown-decorator
"""The names by which a tuner chooses stand elsewhere, maybe for other kernels too."""

import torch
import triton
import triton.language as tl

KEY = ["N"]


@triton.autotune(configs=[triton.Config({}, num_warps=warps) for warps in (1, 4)], key=KEY)
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


def run(x: torch.Tensor):
    m, n = x.shape
    assert n <= 64
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
