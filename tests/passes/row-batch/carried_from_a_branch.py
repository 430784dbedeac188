# expect: missed rows-differ
"""What a loop carries is bound in one branch only, to a tile of one row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if FLAG:
        total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        if FLAG:
            total += x
        tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
    if FLAG:
        tl.store(Y + row * stride, tl.sum(total))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, FLAG=True, BLOCK=16)
    return y
