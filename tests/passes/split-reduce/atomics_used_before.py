# expect: missed not-one-atomic
# options: turns=1
# options: combine=atomics
"""The launcher has stored something, which a row more than the kernel has would keep."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        acc = tl.maximum(acc, x)
    tl.store(Y + row, tl.max(acc, axis=0))


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    y[m - 1] = 7.0
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
