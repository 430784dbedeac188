# expect: missed tile-is-long
"""How long a tile is stands in a name, which is one number: a program would have one row."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_of_squares_kernel(X, Sums, N, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    offsets = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Sums + part, tl.sum(x * x))


def sums_of_squares(x):
    size = 1024
    n = x.numel()
    parts = triton.cdiv(n, size)
    sums = torch.empty(parts, device=x.device)
    sum_of_squares_kernel[(parts,)](x, sums, n, size)
    return sums
