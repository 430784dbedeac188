# verify: always
"""Several programs share a row, and the second kernel has a program for each row."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, stride, N, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    total = 0.0
    for start in range(part * BLOCK, N, PARTS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
    tl.atomic_add(P + row, total, sem="relaxed")


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.zeros(m, dtype=torch.float32, device=x.device)
    partial[(m, 4)](x, y, x.stride(0), n, PARTS=4, BLOCK=16)
    return y
