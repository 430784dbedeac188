# expect: missed length-is-computed
"""How long the row is, is loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Lengths, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    n = tl.load(Lengths + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, axis=0))


def reduced(x: torch.Tensor, lengths: torch.Tensor):
    y = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    kernel[(x.shape[0],)](x, lengths, y, x.stride(0), BLOCK=64)
    return y
