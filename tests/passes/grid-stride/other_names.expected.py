# options: programs=3
"""Other names for everything, and the block from a global."""

import torch
from triton import cdiv, jit
from triton import language as L

BLOCK = L.constexpr(32)


@jit
def relu(src, dst, count):
    for tile in range(L.program_id(axis=0), L.cdiv(count, 32), L.num_programs(axis=0)):
        where = tile * BLOCK + L.arange(0, BLOCK)
        value = L.load(src + where, where < count, 0.0)
        L.store(dst + where, L.where(value > 0, value, 0.0), where < count)


def run_relu(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    relu[(min(cdiv(x.numel(), 32), 3),)](x, out, x.numel())
    return out
