# verify: always
# options: turns=1
"""A running maximum rescales the sums of an online softmax; it begins with a finite number."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    top = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, x)
        acc = acc * tl.exp(top - new) + tl.exp(x - new)
        top = new
    tl.store(Y + row, tl.sum(acc * tl.exp(top - tl.max(top, axis=0)), axis=0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
