# options: programs=2
"""The mask is moved where there is one, and what it says is asked once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, mask, out, N, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        mask_tile = mask
        is_done = False
        if mask_tile is not None:
            mask_tile += row
            keep = tl.load(mask_tile)
            # Padding.
            is_done = keep == 0
        if not is_done:
            x_tile = x + row * N
            if N == 1:
                tl.store(out + row, 1.0)
            else:
                v = tl.load(x_tile + cols, mask=cols < N, other=0.0)
                # positive
                if not (tl.sum(v, axis=0) > 0):
                    x_tile = x_tile + 1
                    tl.store(out + row, tl.sum(v, axis=0) + tl.load(x_tile))


# tritonopt: x: f32[m, n], mask: i32[m] in 0..1
def run(x: torch.Tensor, mask: torch.Tensor):
    x, mask = x.contiguous(), mask.contiguous()
    m, n = x.shape
    out = torch.zeros((2, m), device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(min(m, 2),)](x, mask, out[0], n, BLOCK=block, NUM_TILES=m)
    kernel[(min(m, 2),)](x, None, out[1], n, BLOCK=block, NUM_TILES=m)
    return out
