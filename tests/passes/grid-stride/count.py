# options: programs=2
"""An integer that every tile adds to, and one whose old value is used."""

import torch
import triton
import triton.language as tl


@triton.jit
def compact_kernel(x_ptr, flags_ptr, count_ptr, ticket_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    positive = (tl.load(x_ptr + offs, mask=offs < n, other=0.0) > 0).to(tl.int32)
    tl.atomic_add(count_ptr, tl.sum(positive, axis=0))
    ticket = tl.atomic_add(ticket_ptr, 1)
    tl.store(flags_ptr + pid, (ticket >= 0).to(tl.int32))


# tritonopt: x: f32[n]
def count_positive(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    flags = torch.zeros(tiles, device=x.device, dtype=torch.int32)
    count = torch.zeros(1, device=x.device, dtype=torch.int32)
    ticket = torch.zeros(1, device=x.device, dtype=torch.int32)
    compact_kernel[(tiles,)](x, flags, count, ticket, n, BLOCK=16)
    return flags, count, ticket
