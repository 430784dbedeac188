# expect: missed done-by-every-part
"""A histogram beside the sum."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += x
        tl.atomic_add(Count + (x > 0).to(tl.int32), 1, mask=cols < N)
    tl.store(Y + row, tl.sum(acc, axis=0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, torch.zeros(2, dtype=torch.int32), x.stride(0), n, BLOCK=64)
    return y
