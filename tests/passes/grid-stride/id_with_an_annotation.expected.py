# options: programs=2
"""The program id is bound with an annotation, and asked for a cast."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        pid: tl.int32 = tl.cast(tile, tl.int32)
        v = tl.load(x + pid * n + cols, mask=cols < n)
        tl.store(out + pid * n + cols, v + pid.to(tl.float32), mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(min(m, 2),)](x, out, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=m)
    return out
