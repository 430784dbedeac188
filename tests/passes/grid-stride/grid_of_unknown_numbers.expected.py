# options: programs=2
"""A number of numpy's starts programs, but is no argument of a kernel."""

import numpy as np
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
    rows = np.prod(x.shape[:-1])
    num_tiles = int(rows + 0)
    kernel[(
        min(num_tiles, 2),
    )](x, out, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=num_tiles)
    num_tiles = int((m + 0) * np.int64(1))
    (kernel[(min(num_tiles, 2),)])(
        x, out, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=num_tiles
    )
    return out
