# verify: always
"""`advance` within the load leaves the block pointer where it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    x = tl.load(X + offs_n, mask=offs_n < n, other=0.0)
    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
