# expect: missed data-may-change
"""One part counts atomically what the others have looked up, before or after it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Counts, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    turn = tl.load(Counts + row)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    tl.atomic_add(Counts + row, 1.0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest + turn, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    counts = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, counts, x.stride(0), n, BLOCK=64)
    return y
