# expect: missed not-one-atomic
# options: turns=1
# options: combine=atomics
"""Some rows are not stored at all."""

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
    tl.store(Y + row, tl.max(acc, axis=0), mask=row % 2 == 0)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
