# options: programs=2
"""An integer that every tile adds to, and one whose old value is used."""

import torch
import triton
import triton.language as tl


@triton.jit
def compact_kernel(
    x_ptr, flags_ptr, count_ptr, ticket_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None
):
    count_sum = 0
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        positive = (tl.load(x_ptr + offs, mask=offs < n, other=0.0) > 0).to(tl.int32)
        count_sum += tl.sum(positive, axis=0)
        ticket = tl.atomic_add(ticket_ptr, 1)
        tl.store(flags_ptr + pid, (ticket >= 0).to(tl.int32))
    tl.atomic_add(count_ptr, count_sum)


# tritonopt: x: f32[n]
def count_positive(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    flags = torch.zeros(tiles, device=x.device, dtype=torch.int32)
    count = torch.zeros(1, device=x.device, dtype=torch.int32)
    ticket = torch.zeros(1, device=x.device, dtype=torch.int32)
    compact_kernel[(min(tiles, 2),)](
        x, flags, count, ticket, n, BLOCK=16, NUM_TILES=tiles
    )
    return flags, count, ticket
