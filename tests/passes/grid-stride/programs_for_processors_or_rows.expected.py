"""The number of programs is that of rows as well, where there are few."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, share, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        first = tile * share
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for row in range(first, min(first + share, n)):
            total += tl.load(x + row * BLOCK + tl.arange(0, BLOCK))
        tl.store(out + tile * BLOCK + tl.arange(0, BLOCK), total)


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    x = x.contiguous()
    m = x.shape[0]
    count = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
    if m < 100:
        count = x.shape[0] * 2
    out = torch.zeros((max(count, 1), 16), device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    kernel[(min(count, num_programs),)](
        x, out, m, triton.cdiv(m, max(count, 1)), BLOCK=16, NUM_TILES=count
    )
    return out.sum(dim=0)
