# options: programs=2
# verify: only interpreted, Triton 3.6 compiles no kernel that returns None in words
"""The last statement returns None, and would end the loop with the first tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        v = tl.load(x + pid * n + cols, mask=cols < n)
        tl.store(out + pid * n + cols, v + 1, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(min(m, 2),)](x, out, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=m)
    return out
