# expect: missed waits-for-other-programs
"""The lock is given back in some cases only."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, lock, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
    if pid % 2 == 0:
        tl.atomic_xchg(lock, 0)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, torch.zeros(1, dtype=torch.int32), x.numel(), BLOCK=64)
    return out
