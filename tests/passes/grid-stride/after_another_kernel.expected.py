# options: programs=8
# verify: no, the interpreter does not know tl.extra.cuda.gdc_wait
"""The weights are what the kernel before this one writes: they are loaded after the wait."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, w, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        tl.extra.cuda.gdc_wait()
        weight = tl.load(w + cols, mask=cols < n, other=0.0)
        value = tl.load(x + row * n + cols, mask=cols < n, other=0.0)
        tl.store(out + row * n + cols, value * weight, mask=cols < n)


def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    out = torch.empty_like(x)
    scale[(min(m, 8),)](
        x, w, out, n, BLOCK=triton.next_power_of_2(n), launch_pdl=True, NUM_TILES=m
    )
    return out
