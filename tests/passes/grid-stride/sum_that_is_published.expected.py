# options: programs=2
"""An order of memory says that somebody reads what came before."""

import torch
import triton
import triton.language as tl


@triton.jit
def publish_kernel(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n, other=0)
        tl.store(out_ptr + offs, x + 1, mask=offs < n)
        tl.atomic_add(count_ptr, 1, sem="release")


# tritonopt: x: i32[n]
def publish(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    count = torch.zeros(1, device=x.device, dtype=torch.int32)
    n = x.numel()
    num_tiles = triton.cdiv(n, 16)
    publish_kernel[(min(num_tiles, 2),)](
        x, out, count, n, BLOCK=16, NUM_TILES=num_tiles
    )
    return out, count
