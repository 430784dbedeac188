import torch
import triton
import triton.language as tl


# case: lock_is_kept
# expect: not applied, waits-for-other-programs
"""The lock is given back in some cases only."""


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


# case: two_locks
# expect: not applied, waits-for-other-programs
"""Two locks, of which a tile may hold one and wait for the other."""


@triton.jit
def kernel(x, out, lock, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    while tl.atomic_cas(lock + 1, 0, 1) == 1:
        pass
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
    tl.atomic_xchg(lock + 1, 0)
    tl.atomic_xchg(lock, 0)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, torch.zeros(2, dtype=torch.int32), x.numel(), BLOCK=64)
    return out


# case: waits_by_loading
# expect: not applied, waits-for-other-programs
"""The same by a load: what the next tile reads the last one writes."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    while tl.load(out + pid * BLOCK) != 0:
        offs += 0
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: waits_for_its_neighbor
# expect: not applied, waits-for-other-programs
"""Each tile waits for the one before it: of one's own, for ever."""


@triton.jit
def kernel(x, out, flags, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid > 0:
        while tl.atomic_add(flags + pid - 1, 0) == 0:
            pass
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
    tl.atomic_xchg(flags + pid, 1)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, torch.zeros(99, dtype=torch.int32), x.numel(), BLOCK=64)
    return out
