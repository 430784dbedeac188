# options: programs=2
"""The last of all tiles to finish writes a result, and knows it by a counter."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, total, counter, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.cast(tl.num_programs(0) if NUM_TILES is None else NUM_TILES, tl.int32)
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + offs, mask=offs < n, other=0.0)
        tl.atomic_add(total, tl.sum(value, axis=0))
        finished = tl.atomic_add(counter, 1)
        if finished == num_tiles - 1:
            tl.store(out, tl.load(total) / n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    total = torch.zeros(1, device=x.device, dtype=torch.float32)
    counter = torch.zeros(1, device=x.device, dtype=torch.int32)
    out = torch.empty(1, device=x.device, dtype=torch.float32)
    num_tiles = triton.cdiv(n, 16)
    kernel[(min(num_tiles, 2),)](
        x, total, counter, out, n, BLOCK=16, NUM_TILES=num_tiles
    )
    return out
