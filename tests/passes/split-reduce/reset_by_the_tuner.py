# options: turns=1
"""The tuner sets what is added to back to zero before each try, and the second kernel adds once."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({}, num_warps=w) for w in (4, 8)], key=["N"], reset_to_zero=["Y"]
)
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)
    tl.atomic_add(Y, tl.sum(acc, axis=0))


def total(x: torch.Tensor):
    m, n = x.shape
    y = torch.zeros(1, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
