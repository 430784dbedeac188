import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2)


# case: length_of_the_caller
# expect: silent
"""The caller says how long it is: what it passes is its own affair."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x, length):
    y = torch.empty_like(x)
    n = length
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: lengths_of_two_tensors
# expect: silent
"""Two tensors decide, and callers may pass only what fits."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets <= N)


def launch(x, w):
    y = torch.empty_like(x)
    n = w.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: loaded_offsets
# expect: silent
"""Where it stores is loaded."""


@triton.jit
def kernel(X, I, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    index = tl.load(I + offsets, mask=mask, other=0)
    tl.store(Y + index, tl.load(X + offsets, mask=mask), mask=mask)


def launch(x, index):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, index, y, n, BLOCK=64)
    return y


# case: made_by_the_caller
# expect: silent
"""The caller makes the tensor, larger than it need be, so that one element more is there."""


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets <= N)


def double(x, n):
    y = torch.empty_like(x)
    scale[(triton.cdiv(x.shape[0], 64),)](x, y, x.shape[0], BLOCK=64)
    return y


def run(n):
    return double(torch.zeros(n, 2), n)


# case: only_whole_tiles_unmasked
# expect: silent
"""Lengths that are no multiple of the tile take the other side."""


@triton.jit
def kernel(X, Y, N, WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if WHOLE:
        tl.store(Y + offsets, tl.load(X + offsets) * 2)
    else:
        tl.store(Y + offsets, tl.load(X + offsets, mask=offsets < N) * 2, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=n % 64 == 0, BLOCK=64)
    return y


# case: padded_buffer
# expect: silent
"""The buffer has room for whole tiles."""


# shared: kernel


def launch(x):
    y = torch.empty(triton.cdiv(x.numel(), 64) * 64, device=x.device)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: refused_with_an_error
# expect: silent
"""The launcher raises for what would go beyond."""


# shared: kernel


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    if n % 64 != 0:
        raise ValueError("whole tiles only")

    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: resized_elsewhere
# expect: silent
"""A function that is not seen may have made the buffer larger."""

from elsewhere import enlarge


# shared: kernel


def launch(x):
    y = torch.empty_like(x)
    enlarge(y)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: shape_like_itself
# expect: silent
"""A view of another shape begins where the whole chain begins; nothing is known of its length."""


# shared: kernel


def launch(x):
    x = x.reshape(-1).contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: square
# expect: silent
"""The rows are as long as the columns, which the launcher asks for."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x):
    n, m = x.shape
    assert n == m
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: two_lengths_bound
# expect: silent
"""Each of two tensors gives one length of the result, and both bound the store."""


@triton.jit
def kernel(A, B, C, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    a = tl.load(A + rows, mask=rows < M, other=0.0)
    b = tl.load(B + cols, mask=cols < N, other=0.0)
    tl.store(C + rows[:, None] * N + cols[None, :], a[:, None] * b[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N))


def launch(a, b):
    m, n = a.numel(), b.numel()
    c = torch.empty((m, n), device=a.device)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 32))](a, b, c, m, n, 16, 32)
    return c


# case: unmasked_on_a_side_that_is_not_taken
# expect: silent
"""No launch takes the side without a mask."""


@triton.jit
def kernel(X, Y, N, WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if WHOLE:
        tl.store(Y + offsets, tl.load(X + offsets) * 2)
    else:
        tl.store(Y + offsets, tl.load(X + offsets, mask=offsets < N) * 2, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=False, BLOCK=64)
    return y


# case: viewed_in_rows
# expect: silent
"""Only whole rows of 128 can be viewed so."""


@triton.jit
def kernel(X, Y, D: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, D)
    tl.store(Y + row * D + cols, tl.load(X + row * D + cols) * 2)


def launch(x):
    rows = x.view(-1, 128)
    assert rows.is_contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 128),)](x, y, D=128)
    return y


# case: whole_tiles_only
# expect: silent
"""The launcher refuses what would go beyond."""


# shared: kernel


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    assert n % 64 == 0
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: grid_of_the_tile
# expect: silent
"""The grid follows the tile that the tuner chooses."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 32})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y


# case: partial_sums_of_tiles
# expect: silent
"""Each program stores one number, however long its tile is."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 32})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(pid * BLOCK, N, PROGRAMS * BLOCK):
        offsets = i + tl.arange(0, BLOCK)
        total += tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + pid, tl.sum(total, axis=0))


def launch(x):
    n = x.numel()
    y = torch.empty((16,), device=x.device)
    kernel[(16,)](x, y, n, PROGRAMS=16)
    return y.sum()


# case: first_is_masked_off
# expect: silent
"""The neighbor of the first element is not read."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    before = tl.load(X + offsets - 1, mask=mask & (offsets > 0), other=0)
    tl.store(Y + offsets, tl.load(X + offsets, mask=mask) - before, mask=mask)


def launch(x):
    n = x.shape[0]
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: sizes_that_the_caller_knows
# expect: silent
"""All lengths are numbers, so whoever calls it passes what fits."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols)
    tl.store(Y + row, tl.sum(x, axis=0))


def launch(x):
    y = torch.empty((16,), device=x.device)
    kernel[(16,)](x, y, 64, BLOCK=64)
    return y


# case: configurations_are_pruned
# expect: silent
"""What prunes the configurations may leave the one that fits."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 32})],
    key=["N"],
    prune_configs_by={"early_config_prune": lambda configs, named: configs[:1]},
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 64),)](x, y, n)
    return y


# case: rows_for_another_tensor
# expect: silent
"""How many dimensions there are is not seen: a row for each number of the other tensor fits."""


@triton.jit
def kernel(X, Slots, Y, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, WIDTH)
    slot = tl.load(Slots + row)
    tl.store(Y + slot * WIDTH + cols, tl.load(X + row * WIDTH + cols))


def launch(x, slots, y):
    kernel[(slots.shape[0],)](x, slots, y, WIDTH=512)


# case: tiles_of_the_next_loop_meet
# expect: silent
"""The first loop ends where the second begins."""


@triton.jit
def kernel(X, Y, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    end = (tl.program_id(0) + 1) * BM
    at = Y + rows[:, None] * N + cols[None, :]
    for start in range(0, end, BN):
        ok = (rows[:, None] < N) & (start + cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + start + cols[None, :], mask=ok)
        tl.store(at, tl.where(rows[:, None] >= start + cols[None, :], x, 0.0), mask=ok)
        at += BN
    for start in range(end, N, BN):
        ok = (rows[:, None] < N) & (start + cols[None, :] < N)
        tl.store(at, tl.zeros([BM, BN], tl.float32), mask=ok)
        at += BN


def launch(x):
    n = x.shape[0]
    y = torch.empty((n, n), device=x.device)
    kernel[(triton.cdiv(n, 16),)](x, y, n, BM=16, BN=16)
    return y


# case: minus_one_is_left_out
# expect: silent
"""The mask of each load leaves -1 out, in its own words."""


@triton.jit
def gather_kernel(P, ids, Out, Logs, n, vocab, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    t = tl.load(ids + i, mask=ok, other=0)
    ok = ok & (t != -1)
    p = tl.load(P + i * vocab + t, mask=ok, other=0.0)
    q = tl.load(Logs + i * vocab + t, mask=ok & (t >= 0), other=0.0)
    tl.store(Out + i, p + q, mask=i < n)


def gather(p: torch.Tensor, ids: torch.Tensor, logs: torch.Tensor):
    n, vocab = p.shape
    p, logs = p.contiguous(), logs.contiguous()
    out = torch.empty((n,), device=p.device, dtype=p.dtype)
    gather_kernel[(triton.cdiv(n, 16),)](p, ids, out, logs, n, vocab, BLOCK=16)
    return out


# case: masked_by_an_argument
# expect: silent
"""The mask knows the length that the launcher was given."""


@triton.jit
def offsets(pid, BLOCK: tl.constexpr):
    return pid * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def write(P, offs, v, n):
    tl.store(P + offs, v, mask=offs < n)


@triton.jit
def fill_kernel(Y, n, value, BLOCK: tl.constexpr):
    write(Y, offsets(tl.program_id(0), BLOCK), tl.full([BLOCK], 0.0, tl.float32) + value, n)


def fill(n: int, value: float, device):
    y = torch.empty(n, device=device, dtype=torch.float32)
    grid = (triton.cdiv(n, 1024),)
    fill_kernel[grid](y, n, value, BLOCK=1024)
    return y
