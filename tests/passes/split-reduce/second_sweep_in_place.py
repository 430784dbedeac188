# expect: missed data-may-change
"""Another part may have stored to the row already, where the second kernel loads its first element."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(X + row * stride)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest + first, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, x, x.stride(0), n, BLOCK=64)
    return x
