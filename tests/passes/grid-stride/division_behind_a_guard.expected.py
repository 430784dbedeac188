# options: programs=2
"""A program that has left does not divide, in a call or otherwise."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, parts, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        if not (parts == 0):
            share = tl.cdiv(n, parts)
            rest = n % parts
            v = tl.load(x + pid * n + cols, mask=cols < n)
            tl.store(out + pid * n + cols, v * share + rest, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(min(m, 2),)](x, out, n, m - 1, BLOCK=triton.next_power_of_2(n), NUM_TILES=m)
    return out
