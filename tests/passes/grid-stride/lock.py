# verify: always
# options: programs=2
"""A lock that is given back for each tile: nobody waits for a tile of his own."""

import torch
import triton
import triton.language as tl


@triton.jit
def locked_sum_kernel(X, Sums, Locks, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    group = row % GROUPS
    Locks += group
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    while tl.atomic_cas(Locks, 0, 1) == 1:
        pass
    total = tl.load(Sums + group * N + cols, mask=mask)
    tl.store(Sums + group * N + cols, total + x, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Locks, 0)


# tritonopt: x: f32[m, n]
def locked_sum(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    sums = torch.zeros((2, n), device=x.device)
    locks = torch.zeros(2, device=x.device, dtype=torch.int32)
    block = triton.next_power_of_2(n)
    locked_sum_kernel[(m,)](x, sums, locks, x.stride(0), n, GROUPS=2, BLOCK=block)
    return sums
