# options: programs=2
"""Of integers the largest, the least and bits are the same in any order."""

import torch
import triton
import triton.language as tl


@triton.jit
def extremes_kernel(
    x_ptr, most_ptr, least_ptr, any_ptr, odd_ptr, all_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None
):
    most_max = tl.full([], -2147483648, tl.int32)
    least_min = tl.full([], 2147483647, tl.int32)
    any_or = tl.zeros([], dtype=tl.int32)
    odd_xor = tl.zeros([], dtype=tl.int32)
    all_and = tl.full([BLOCK], -1, tl.int32)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n, other=0)
        most_max = tl.maximum(most_max, tl.max(x, axis=0).to(tl.int32))
        least_min = tl.minimum(least_min, tl.min(x, axis=0).to(tl.int32))
        any_or |= tl.max(x, axis=0).to(tl.int32)
        odd_xor ^= tl.sum(x, axis=0).to(tl.int32)
        all_and &= x.to(tl.int32)
    tl.atomic_max(most_ptr, most_max)
    tl.atomic_min(least_ptr, least_min)
    tl.atomic_or(any_ptr, any_or)
    tl.atomic_xor(odd_ptr, odd_xor)
    tl.atomic_and(all_ptr + tl.arange(0, BLOCK), all_and)


# tritonopt: x: i32[n]
def extremes(x: torch.Tensor):
    x = x.contiguous()
    most = torch.zeros(1, device=x.device, dtype=torch.int32)
    least = torch.zeros(1, device=x.device, dtype=torch.int32)
    some = torch.zeros(1, device=x.device, dtype=torch.int32)
    odd = torch.zeros(1, device=x.device, dtype=torch.int32)
    every = torch.full((16,), -1, device=x.device, dtype=torch.int32)
    n = x.numel()
    num_tiles = triton.cdiv(n, 16)
    extremes_kernel[(min(num_tiles, 2),)](
        x, most, least, some, odd, every, n, BLOCK=16, NUM_TILES=num_tiles
    )
    return most, least, some, odd, every
