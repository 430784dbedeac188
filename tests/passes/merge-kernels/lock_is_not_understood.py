import torch
import triton
import triton.language as tl


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    groups = 3
    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    p = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, locks, x.stride(0), n, GROUPS=groups, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, groups, n, ROWS=8, COLS=16)
    return y


# case: another_lock_is_given_back
# expect: not applied, lock-is-not-understood
"""Another lock is given back than was taken."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total += tl.load(P + group * N + cols, mask=mask)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group + 1, 0)
# shared: final
# shared: launch


# case: begun_with_the_second
# expect: not applied, lock-is-not-understood
"""The flag is asked the wrong way round."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 1:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total += tl.load(P + group * N + cols, mask=mask)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group, 0)
# shared: final
# shared: launch


# case: difference_below_a_lock
# expect: not applied, lock-is-not-understood
"""Under the lock what stands there is subtracted from."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total = tl.load(P + group * N + cols, mask=mask) - total
    tl.store(P + group * N + cols, total, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group, 0)
# shared: final
# shared: launch


# case: flag_of_another
# expect: not applied, lock-is-not-understood
"""The flag is that of another group."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total += tl.load(P + group * N + cols, mask=mask)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group, 0)
# shared: final
# shared: launch


# case: largest_group
# expect: not applied, lock-is-not-understood
"""The second kernel takes the largest of the groups' sums."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total += tl.load(P + group * N + cols, mask=mask)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.atomic_xchg(Lock + group, 0)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc = tl.maximum(acc, tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0))
    tl.store(Y + cols, tl.max(acc, axis=0), mask=cols < N)
# shared: launch


# case: mask_of_the_sum
# expect: not applied, lock-is-not-understood
"""Some of what stands there is not added to."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total += tl.load(P + group * N + cols, mask=cols < N - 1)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group, 0)
# shared: final
# shared: launch


# case: more_below_a_lock
# expect: not applied, lock-is-not-understood
"""Under the lock something else is stored."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total += tl.load(P + group * N + cols, mask=mask)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.store(X + row, 0.0)
    tl.atomic_xchg(Lock + group, 0)
# shared: final
# shared: launch


# case: product_below_a_lock
# expect: not applied, lock-is-not-understood
"""Under the lock rows are multiplied."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total *= tl.load(P + group * N + cols, mask=mask)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group, 0)
# shared: final
# shared: launch


# case: read_behind_the_lock
# expect: not applied, lock-is-not-understood
"""Behind the lock the sum so far is used."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total += tl.load(P + group * N + cols, mask=mask)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group, 0)
    tl.store(X + row * stride + cols, total, mask=mask)
# shared: final
# shared: launch
