# verify: always
# options: axis=2,programs=2
"""Three axes, of which the last is walked."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_one_kernel(x_ptr, y_ptr, H, W, BLOCK: tl.constexpr, NUM_TILES=None):
    w = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.program_id(1)
    num_tiles = tl.num_programs(2) if NUM_TILES is None else NUM_TILES
    for c in range(tl.program_id(2), num_tiles, tl.num_programs(2)):
        where = (c * H + h) * W + w
        tl.store(y_ptr + where, tl.load(x_ptr + where, mask=w < W) + 1, mask=w < W)


def add_one(x: torch.Tensor):
    x = x.contiguous()
    c, h, w = x.shape
    y = torch.empty_like(x)
    add_one_kernel[triton.cdiv(w, 16), h, min(c, 2)](x, y, h, w, 16, NUM_TILES=c)
    return y
