# options: programs=2
"""Of integers the largest, the least and bits are the same in any order."""

import torch
import triton
import triton.language as tl


@triton.jit
def extremes_kernel(x_ptr, most_ptr, least_ptr, any_ptr, odd_ptr, all_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    tl.atomic_max(most_ptr, tl.max(x, axis=0))
    tl.atomic_min(least_ptr, tl.min(x, axis=0))
    tl.atomic_or(any_ptr, tl.max(x, axis=0))
    tl.atomic_xor(odd_ptr, tl.sum(x, axis=0))
    tl.atomic_and(all_ptr + tl.arange(0, BLOCK), x)


# tritonopt: x: i32[n]
def extremes(x: torch.Tensor):
    x = x.contiguous()
    most = torch.zeros(1, device=x.device, dtype=torch.int32)
    least = torch.zeros(1, device=x.device, dtype=torch.int32)
    some = torch.zeros(1, device=x.device, dtype=torch.int32)
    odd = torch.zeros(1, device=x.device, dtype=torch.int32)
    every = torch.full((16,), -1, device=x.device, dtype=torch.int32)
    n = x.numel()
    extremes_kernel[(triton.cdiv(n, 16),)](x, most, least, some, odd, every, n, BLOCK=16)
    return most, least, some, odd, every
