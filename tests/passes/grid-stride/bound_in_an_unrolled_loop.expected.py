# options: programs=2
"""A name that an unrolled loop binds is known after it, so both branches would bind it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, count, n, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        row = tl.cast(tile, tl.int32)
        y = tl.load(x + row * n + cols, mask=cols < n)
        if row == 1:
            for power in tl.static_range(2):
                u_2 = y + power
            tl.store(out + row * n + cols, u_2, mask=cols < n)
        else:
            u = row + 2
            tl.store(count + row, u)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    count = torch.zeros(m, dtype=torch.int32, device=x.device)
    kernel[(min(m, 2),)](x, out, count, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=m)
    return out, count
