"""A statement that does nothing stands between the launches."""

import torch
import triton
import triton.language as tl


@triton.jit
def part(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.atomic_add(P, tl.sum(x, axis=0), sem="relaxed")


def total(x):
    n = x.numel()
    m = triton.cdiv(n, 1024)
    y = torch.zeros(1, dtype=torch.float32, device=x.device)
    part[(m,)](x, y, n, BLOCK=1024)
    pass  # the partial results are there
    return y
