import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


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
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: any_of_all
# like: sum_of_integers
"""Lanes that hold no partial result count as 0, and no partial result is less."""
#-    x = tl.load(X + cols, mask=cols < N, other=0)
#-    tl.store(P + pid, tl.sum(x, axis=0))
#+    x = tl.load(X + cols, mask=cols < N, other=0.0)
#+    tl.store(P + pid, tl.max((x > 0.5).to(tl.int32), axis=0))
#-    tl.store(Y, tl.sum(x, axis=0))
#+    tl.store(Y, tl.max(x, axis=0))
#-# tritonopt: x: i32[n]
#+# tritonopt: x: f32[n]


# case: asked_for_its_type
# like: sums_of_columns
"""Somebody asks for the type of the output, which stays."""
#-    y = torch.empty(n, dtype=torch.float32, device=x.device)
#+    y = torch.empty(n, dtype=x.dtype, device=x.device)
#+    z = torch.zeros(n, dtype=y.dtype)
#-    return y
#+    return y, z


# case: below_a_lock
"""Programs of a group add up under a lock: locks and groups go."""


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
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    groups = 3
    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    p = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, locks, x.stride(0), n, GROUPS=groups, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, groups, n, ROWS=8, COLS=16)
    return y


# case: below_a_lock_from_zero
# like: below_a_lock
"""A lock, and sums that begin with the zeros of the launcher."""
#-    begun = tl.load(Lock + GROUPS + group)
#-    if begun == 0:
#-        tl.atomic_xchg(Lock + GROUPS + group, 1)
#-    else:
#-        total += tl.load(P + group * N + cols, mask=mask)
#+    total += tl.load(P + group * N + cols, mask=mask)
#-    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
#+    locks = torch.zeros(groups, dtype=torch.int32, device=x.device)


# case: cleared_lanes
# like: largest_number
"""The lanes that the load leaves undefined are cleared before the sum."""
#-    x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#-    tl.store(P + pid, tl.maximum(tl.max(x, axis=0), -1.0))
#+    x = tl.load(X + cols, mask=cols < N, other=0.0)
#+    tl.store(P + pid, tl.sum(x, axis=0))
#-    x = tl.load(P + slots, mask=slots < M, other=-float("inf"))
#-    tl.store(Y, tl.max(x, axis=0))
#+    x = tl.load(P + slots, mask=slots < M)
#+    x = tl.where(slots < M, x, 0.0)
#+    tl.store(Y, tl.sum(x, axis=0))


# case: final_of_another
"""The second kernel stays, for it is launched alone as well."""
# shared: partial
# shared: final
# shared: launch


def added(p: torch.Tensor):
    assert p.dtype == torch.float32
    m, n = p.shape
    y = torch.empty(n, dtype=torch.float32, device=p.device)
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: half_in_another_block
# like: output_of_another_block
"""The output is made in another block than the launches stand in."""
#-    y = torch.empty(n, dtype=torch.float32, device=x.device)
#+    y = torch.empty(n, dtype=x.dtype, device=x.device)


# case: largest_from_zero
"""The largest magnitude, or 0: the output begins with 0, as it did."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(P + pid, tl.max(tl.maximum(tl.abs(x), 0.0), axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    most = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, M, BLOCK):
        place = start + slots
        most = tl.maximum(most, tl.load(P + place, mask=place < M, other=0.0))
    tl.store(Y, tl.max(most, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.float32, device=x.device)
    y = torch.zeros(2, dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=8)
    return y


# case: largest_number
"""The largest of tiles, none of which is below -1: nothing is NaN."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
    tl.store(P + pid, tl.maximum(tl.max(x, axis=0), -1.0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=-float("inf"))
    tl.store(Y, tl.max(x, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.float32, device=x.device)
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y


# case: least_integer
"""The least integer of a tensor: the output begins with the largest one."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=2147483647)
    tl.store(P + pid, tl.min(x, axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    least = 2147483647
    for start in range(0, M, BLOCK):
        place = start + slots
        x = tl.load(P + place, mask=place < M, other=2147483647)
        least = tl.minimum(least, tl.min(x, axis=0))
    tl.store(Y, least)


# tritonopt: x: i32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.int32, device=x.device)
    y = torch.empty(1, dtype=torch.int32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=8)
    return y


# case: made_in_each_branch
# like: output_of_another_block
# verify: no, few examples come to the other branch
"""Each branch makes an output of its own, of one name."""
#-    y = torch.empty(n, dtype=torch.float32, device=x.device)

#         p = torch.empty((m, n), dtype=torch.float32, device=x.device)
#+        y = torch.empty(n, dtype=torch.float32, device=x.device)
#-        y.fill_(1.0)
#+        y = torch.ones(n, dtype=torch.float32, device=x.device)
#+        y = y + 1


# case: made_without_a_type
"""Neither the buffer nor the output is made with a type: both are taken to be float32."""


@triton.jit
def part(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(P + pid, tl.sum(x, axis=0))


@triton.jit
def final(P, Y, M, SIZE: tl.constexpr):
    rows = tl.arange(0, SIZE)
    p = tl.load(P + rows, mask=rows < M, other=0.0)
    tl.store(Y, tl.sum(p, axis=0))


def total(x):
    n = x.numel()
    m = triton.cdiv(n, 1024)
    p = torch.empty(m, device=x.device)
    y = torch.empty(1, device=x.device)
    part[(m,)](x, p, n, BLOCK=1024)
    final[(1,)](p, y, m, SIZE=triton.next_power_of_2(m))
    return y


# case: mean_into_half
# like: sums_of_columns
"""The sums go to a tensor of half precision: they are added up in fp32, and cast then."""
#-    y = torch.empty(n, dtype=torch.float32, device=x.device)
#+    y = torch.empty(n, dtype=x.dtype, device=x.device)


# case: mean_of_a_batch
"""A mean over the rows, each of which has a program; a batch of none is refused."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(P + row, tl.sum(x * x, axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, M, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(P + rows, mask=rows < M, other=0.0), axis=0)
    tl.store(Y, total / M)


def launch(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    assert m > 0
    p = torch.empty(m, dtype=torch.float32, device=x.device)
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, n, BLOCK=triton.next_power_of_2(n))
    final[(1,)](p, y, m, BLOCK=16)
    return y


# case: mean_of_the_rows
# like: sums_of_columns
# safety: assumption
"""The second kernel divides by the number of rows, which is taken not to be 0."""
#-def partial(X, P, stride, N, BLOCK: tl.constexpr):
#+def partial(X, P, stride, M, N, BLOCK: tl.constexpr):
#-    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)
#+    tl.store(Y + cols, tl.sum(acc, axis=0) / M, mask=cols < N)
#-    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    partial[(m,)](x, p, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))


# case: named_for_others
"""The file offers the second kernel by name to whoever imports all of it."""
# shared: partial
# shared: final
# shared: launch


__all__ = ["final", "launch"]


# case: nothing_between
# like: made_without_a_type
"""A statement that does nothing stands between the launches."""
#-    p = torch.empty(m, device=x.device)
#-    y = torch.empty(1, device=x.device)
#+    p = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty(1, dtype=torch.float32, device=x.device)
#     part[(m,)](x, p, n, BLOCK=1024)
#+    pass  # the partial results are there


# case: one_final_for_two
"""The second kernel is launched for each of two buffers."""


@triton.jit
def partial(X, DW, DB, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    DW += row * N
    tl.store(DW + cols, x * x, mask=mask)
    db_ptr = DB + row * N + cols
    tl.store(db_ptr, x, mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    q = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    z = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, q, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    final[(triton.cdiv(n, 16),)](q, z, m, n, ROWS=8, COLS=16)
    return y, z


# case: output_of_another_block
"""Sums in fp32, made outside of the block of the launches."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    if m > 0:
        p = torch.empty((m, n), dtype=torch.float32, device=x.device)
        partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    else:
        y.fill_(1.0)
    return y


# case: parts_of_rows
"""Several programs share a row, and the second kernel has a program for each row."""


@triton.jit
def partial(X, P, stride, N, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    total = 0.0
    for start in range(part * BLOCK, N, PARTS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
    tl.store(P + row * PARTS + part, total)


@triton.jit
def final(P, Y, PARTS: tl.constexpr):
    row = tl.program_id(0)
    parts = tl.load(P + row * PARTS + tl.arange(0, PARTS))
    tl.store(Y + row, tl.sum(parts, axis=0))


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, 4), dtype=torch.float32, device=x.device)
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    partial[(m, 4)](x, p, x.stride(0), n, PARTS=4, BLOCK=16)
    final[(m,)](p, y, PARTS=4)
    return y


# case: strides_of_the_buffer
# like: sums_of_columns
"""The second kernel is passed the strides of the buffer."""
#-def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
#+def final(P, Y, stride, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
#-        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
#+        acc += tl.load(P + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
#-    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    final[(triton.cdiv(n, 16),)](p, y, p.stride(0), m, n, ROWS=8, COLS=16)


# case: sum_of_integers
"""A sum of integers is the same in any order."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0)
    tl.store(P + pid, tl.sum(x, axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=0)
    tl.store(Y, tl.sum(x, axis=0))


# tritonopt: x: i32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.int32, device=x.device)
    y = torch.empty(1, dtype=torch.int32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y


# case: summed_in_the_default_type
# like: made_without_a_type
"""The buffer is made without a type, the output with a narrow one, which the result is cast to."""
#-    y = torch.empty(1, device=x.device)
#+    y = torch.empty(1, dtype=torch.float16, device=x.device)


# case: sums_of_columns
"""Each program has a row, and the second kernel adds up the rows."""
# shared: partial
# shared: final
# shared: launch


# case: tuned
# like: sums_of_columns
"""A tuner must put the sums back to 0 before each run."""
# import triton.language as tl
#
#
#+@triton.autotune(
#+    configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)],
#+    key=["N"],
#+)


# case: tuned_extreme
# like: largest_number
"""A tuner must put back what the output begins with, which is not 0."""
# import triton.language as tl
#
#
#+@triton.autotune(
#+    configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)],
#+    key=["N"],
#+)


# case: two_sums
"""Two sums of columns, through a pointer that moves and one that has a name."""


@triton.jit
def partial(X, DW, DB, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    DW += row * N
    tl.store(DW + cols, x * x, mask=mask)
    db_ptr = DB + row * N + cols
    tl.store(db_ptr, x, mask)


@triton.jit
def final(P, Q, Y, Z, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    one = tl.zeros([ROWS, COLS], dtype=tl.float32)
    two = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        offsets = rows[:, None] * N + cols[None, :]
        one += tl.load(P + offsets, mask=mask, other=0.0)
        two += tl.load(Q + offsets, mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(one, axis=0).to(Y.dtype.element_ty), mask=cols < N)
    tl.store(Z + cols, tl.sum(two, axis=0).to(Z.dtype.element_ty), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    q = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    z = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, q, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    grid = (triton.cdiv(n, 16),)
    # Add up the rows.
    final[grid](p, q, y, z, m, n, ROWS=8, COLS=16)
    return y, z


# case: zeros_already
"""The output holds zeros already, and the buffer held them too."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.zeros((m, n), dtype=torch.float32, device=x.device)
    y = torch.zeros(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: what_stays_in_the_launch
"""A parameter of a `while` stays, and one for which the launch does something else too."""


@triton.jit
def squares(X, P, p_stride, tag, stride, N, halvings, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    half = 1.0
    step = 0
    while step < halvings:
        half *= 0.5
        step += 1
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * p_stride + cols, x * x * half, mask=mask)


@triton.jit
def sum_of_rows(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def sum_of_squares(x: "f32[m, n]"):
    m, n = x.shape
    tags = [1]
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    squares[(m,)](x, p, n, tags.pop(), x.stride(0), n, 3, BLOCK=triton.next_power_of_2(n))
    sum_of_rows[(triton.cdiv(n, 128),)](p, y, m, n, ROWS=32, COLS=128)
    return y
