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


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: given_buffer
# expect: not applied, partials-are-used-elsewhere
"""The buffer is the caller's."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final


def launch(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    assert p.dtype == torch.float32
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: launched_between
# expect: not applied, partials-are-used-elsewhere
"""Between the launches another kernel changes the buffer."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def doubled(P, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(P + cols, mask=cols < N)
    tl.store(P + cols, x * 2, mask=cols < N)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    doubled[(1,)](p, n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: lock_is_taken
# expect: not applied, partials-are-used-elsewhere
"""The locks do not begin with 0."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    groups = 3
    locks = torch.empty(2 * groups, dtype=torch.int32, device=x.device)
    p = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, locks, x.stride(0), n, GROUPS=groups, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, groups, n, ROWS=8, COLS=16)
    return y


# case: locks_are_passed_on
# expect: not applied, partials-are-used-elsewhere
"""Somebody else gets the locks."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    groups = 3
    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    p = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, locks, x.stride(0), n, GROUPS=groups, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, groups, n, ROWS=8, COLS=16)
    return y, locks


# case: read_back
# expect: not applied, partials-are-used-elsewhere
"""The first kernel reads what it has stored."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
    again = tl.load(P + row * N + cols, mask=mask, other=0.0)
    tl.store(X + row * stride + cols, again, mask=mask)
# shared: final
# shared: launch


# case: read_by_somebody_else
# expect: not applied, partials-are-used-elsewhere
"""The partial results are returned as well."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y, p


# case: read_in_the_next_turn
# expect: not applied, partials-are-used-elsewhere
"""The other branch reads the partial results, in a later turn of a loop."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    found = []
    for turn in range(2):
        if turn == 0:
            p = torch.empty((m, n), dtype=torch.float32, device=x.device)
            y = torch.empty(n, dtype=torch.float32, device=x.device)
            partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
            final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
            found.append(y)
        else:
            found.append(p)
    return found


# case: saved_for_later
# expect: not applied, partials-are-used-elsewhere
"""The partial results are kept for the backward pass."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    launch.saved = p
    return y


# case: stored_twice
# expect: not applied, partials-are-used-elsewhere
"""The first kernel stores to each place twice."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
    tl.store(P + row * N + cols, x, mask=mask)
# shared: final
# shared: launch


# case: sums_of_anything
# expect: not applied, partials-are-used-elsewhere
"""Sums of groups without a row are anything."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    groups = 3
    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    p = torch.empty((groups, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, locks, x.stride(0), n, GROUPS=groups, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, groups, n, ROWS=8, COLS=16)
    return y
