# expect: analysis reads-what-others-write
"""All rows add to one buffer, and nobody waits for anybody."""

import torch
import triton
import triton.language as tl

@triton.jit
def k(X, DW, stride, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + r * stride + c, mask=c < N, other=0.0)
    w = tl.load(DW + c, mask=c < N, other=0.0)
    tl.store(DW + c, w + x, mask=c < N)


def colsum(x):
    m, n = x.shape
    dw = torch.zeros(n, device=x.device)
    k[(m,)](x, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dw
