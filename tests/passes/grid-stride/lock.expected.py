# verify: always
# options: programs=2
"""A lock that is given back for each tile: nobody waits for a tile of his own."""

import torch
import triton
import triton.language as tl


@triton.jit
def locked_sum_kernel(
    X, Sums, Locks, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr, NUM_TILES=None
):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        group = row % GROUPS
        Locks_tile = Locks + group
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
        while tl.atomic_cas(Locks_tile, 0, 1) == 1:
            pass
        total = tl.load(Sums + group * N + cols, mask=mask)
        tl.store(Sums + group * N + cols, total + x, mask=mask)
        tl.debug_barrier()
        tl.atomic_xchg(Locks_tile, 0)


# tritonopt: x: f32[m, n]
def locked_sum(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    sums = torch.zeros((2, n), device=x.device)
    locks = torch.zeros(2, device=x.device, dtype=torch.int32)
    block = triton.next_power_of_2(n)
    locked_sum_kernel[(min(m, 2),)](
        x, sums, locks, x.stride(0), n, GROUPS=2, BLOCK=block, NUM_TILES=m
    )
    return sums
