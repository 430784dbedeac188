# options: programs=2
"""The atomic is a method of its address."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, total, n, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    place = total + cols
    total_sum = tl.zeros([BLOCK], dtype=total.dtype.element_ty)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0).to(tl.float32)
        total_sum += v.to(total.dtype.element_ty)
    place.atomic_add(total_sum, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    total = torch.zeros(n, device=x.device)
    kernel[(min(m, 2),)](x, total, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=m)
    return total
