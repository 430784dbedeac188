# expect: missed accumulator-is-narrow
"""A sum of unsigned integers."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.uint32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0).to(tl.uint32)
    tl.store(Y + row, tl.sum(acc, axis=0).to(tl.int32))


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
