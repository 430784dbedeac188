# verify: always
"""Operands by keyword, in either order, a NaN mode that says what is the default, and
`triton.language` under a name of the file's own."""

import torch
import triton
import triton.language as T
from triton import jit
from triton.language import constexpr


@jit
def kernel(X, Y, N, BLOCK: constexpr):
    cols = T.program_id(0) * BLOCK + T.arange(0, BLOCK)
    x = T.load(X + cols, mask=cols < N, other=0.0).to(T.float32)
    a = T.maximum(y=x, x=-1.0)
    b = T.minimum(x, 0.1, propagate_nan=T.PropagateNan.NONE)
    c = T.maximum(x, 1.5, T.PropagateNan.NONE)
    T.store(Y + cols, a * b + c, mask=cols < N)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
