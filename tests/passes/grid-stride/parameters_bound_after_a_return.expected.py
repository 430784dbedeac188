# options: programs=2
"""Each tile that stays takes its copies of the pointers behind the guard."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, limit, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        if not (pid >= limit):
            x_tile = x
            out_tile = out
            x_tile, out_tile = x_tile + pid * n + cols, out_tile + pid * n + cols
            tl.store(out_tile, tl.load(x_tile, mask=cols < n), mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(min(m, 2),)](
        x, out, n, m // 2, BLOCK=triton.next_power_of_2(n), NUM_TILES=m
    )
    return out
