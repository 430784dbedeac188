# expect: silent
"""512 lanes on as many threads."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    double_rows[(m, triton.cdiv(n, 512))](x, y, x.stride(0), n, BLOCK=512, num_warps=16)
    return y
