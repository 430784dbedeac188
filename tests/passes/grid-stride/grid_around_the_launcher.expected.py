# options: programs=2
"""The grid is a function of another scope, which has no name for the limit."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_one(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        v = tl.load(x + pid * n + cols, mask=cols < n)
        tl.store(out + pid * n + cols, v + 1, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    grid = lambda META: (m,)

    def launch():
        min_rows = 2
        add_one[lambda META: (min(grid(META)[0], 2),)](
            x, out, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=m
        )
        return min_rows

    launch()
    return out
