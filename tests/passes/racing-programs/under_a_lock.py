# expect: silent
"""A lock may order the programs."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(X, Lock, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(X + offsets, x, mask=offsets + 1 < N)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


def shift(x: torch.Tensor):
    n = x.numel()
    lock = torch.zeros(1, device=x.device, dtype=torch.int32)
    shift_kernel[(triton.cdiv(n, 64),)](x, lock, n, BLOCK=64)
