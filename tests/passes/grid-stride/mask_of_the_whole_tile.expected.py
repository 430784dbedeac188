# options: programs=2
"""Rows beyond the last one add nothing; what a sum would have to leave out is not looked into."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(x_ptr, total_ptr, M, N, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        inside = (row < M) & (cols < N)
        x = tl.load(x_ptr + row * N + cols, mask=inside, other=0.0)
        tl.atomic_add(total_ptr + cols, x, mask=inside)


# tritonopt: x: f32[m, n]
def gather(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    total = torch.zeros(n, device=x.device)
    num_tiles = m + 1
    gather_kernel[(min(num_tiles, 2),)](
        x, total, m, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=num_tiles
    )
    return total
