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
# like: lock_is_kept
# expect: not applied, waits-for-other-programs
"""Two locks, of which a tile may hold one and wait for the other."""
#         pass
#+    while tl.atomic_cas(lock + 1, 0, 1) == 1:
#+        pass
#-    if pid % 2 == 0:
#-        tl.atomic_xchg(lock, 0)
#+    tl.atomic_xchg(lock + 1, 0)
#+    tl.atomic_xchg(lock, 0)
#-    kernel[(triton.cdiv(x.numel(), 64),)](x, out, torch.zeros(1, dtype=torch.int32), x.numel(), BLOCK=64)
#+    kernel[(triton.cdiv(x.numel(), 64),)](x, out, torch.zeros(2, dtype=torch.int32), x.numel(), BLOCK=64)


# case: waits_by_loading
# like: inline_assembly
# expect: not applied, waits-for-other-programs
"""The same by a load: what the next tile reads the last one writes."""
#-    index = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.x;", "=r", [], tl.int32, True, 1)
#-    offs = index * BLOCK + tl.arange(0, BLOCK) + 0 * pid
#+    offs = pid * BLOCK + tl.arange(0, BLOCK)
#+    while tl.load(out + pid * BLOCK) != 0:
#+        offs += 0


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


# case: lock
# expect: not applied, waits-for-other-programs
# options: programs=2
"""A lock that is given back for each tile: nobody waits for a tile of his own."""


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
