import torch
import triton
import triton.language as tl


# case: length_of_the_caller
# like: whole_tiles_only
# expect: silent
"""The caller says how long it is: what it passes is its own affair."""
#-    tl.store(Y + offsets, x * 2)
#+    tl.store(Y + offsets, x * 2, mask=offsets < N)
#-def launch(x):
#+def launch(x, length):
#-    n = x.numel()
#-    assert n % 64 == 0
#+    n = length


# case: lengths_of_two_tensors
# like: whole_tiles_only
# expect: silent
"""Two tensors decide, and callers may pass only what fits."""
#-    tl.store(Y + offsets, x * 2)
#+    tl.store(Y + offsets, x * 2, mask=offsets <= N)
#-def launch(x):
#+def launch(x, w):
#-    n = x.numel()
#-    assert n % 64 == 0
#+    n = w.numel()


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
# like: half_tiles_unmasked
# expect: silent
"""Lengths that are no multiple of the tile take the other side."""
#-    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=n % 32 == 0, BLOCK=64)
#+    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=n % 64 == 0, BLOCK=64)


# case: padded_buffer
# like: whole_tiles_only
# expect: silent
"""The buffer has room for whole tiles."""
#-    y = torch.empty_like(x)
#+    y = torch.empty(triton.cdiv(x.numel(), 64) * 64, device=x.device)
#-    assert n % 64 == 0


# case: refused_with_an_error
# like: whole_tiles_only
# expect: silent
"""The launcher raises for what would go beyond."""
#-    assert n % 64 == 0
#+    if n % 64 != 0:
#+        raise ValueError("whole tiles only")
#+


# case: resized_elsewhere
# like: whole_tiles_only
# expect: silent
"""A function that is not seen may have made the buffer larger."""
# import triton.language as tl
#+
#+from elsewhere import enlarge
#     y = torch.empty_like(x)
#+    enlarge(y)
#-    assert n % 64 == 0


# case: shape_like_itself
# like: whole_tiles_only
# expect: silent
"""A view of another shape begins where the whole chain begins; nothing is known of its length."""
# def launch(x):
#+    x = x.reshape(-1).contiguous()
#-    assert n % 64 == 0


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
# like: no_mask_for_two_lengths
# expect: silent
"""Each of two tensors gives one length of the result, and both bound the store."""
#-    tl.store(C + rows[:, None] * N + cols[None, :], a[:, None] * b[None, :])
#+    tl.store(C + rows[:, None] * N + cols[None, :], a[:, None] * b[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N))


# case: unmasked_on_a_side_that_is_not_taken
# like: half_tiles_unmasked
# expect: silent
"""No launch takes the side without a mask."""
#-    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=n % 32 == 0, BLOCK=64)
#+    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=False, BLOCK=64)


# case: viewed_in_rows
# like: one_of_several_lengths
# expect: silent
"""Only whole rows of 128 can be viewed so."""
#-    m, d = x.shape
#-    assert d in (32, 64, 128)
#+    rows = x.view(-1, 128)
#+    assert rows.is_contiguous()
#-    kernel[(m,)](x, y, D=128)
#+    kernel[(triton.cdiv(x.numel(), 128),)](x, y, D=128)


# case: whole_tiles_only
# expect: silent
"""The launcher refuses what would go beyond."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    assert n % 64 == 0
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: grid_of_the_tile
# like: grid_of_one_tile
# expect: silent
"""The grid follows the tile that the tuner chooses."""
#-    kernel[(triton.cdiv(n, 64),)](x, y, n)
#+    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)


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
# like: no_mask
# expect: silent
"""The neighbor of the first element is not read."""
#-    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
#-    tl.store(Y + offsets, x * 2)
#+    mask = offsets < N
#+    before = tl.load(X + offsets - 1, mask=mask & (offsets > 0), other=0)
#+    tl.store(Y + offsets, tl.load(X + offsets, mask=mask) - before, mask=mask)
# def launch(x):
#+    n = x.shape[0]
#-    n = x.numel()


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
# like: grid_of_one_tile
# expect: silent
"""What prunes the configurations may leave the one that fits."""
#     key=["N"],
#+    prune_configs_by={"early_config_prune": lambda configs, named: configs[:1]},


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
# like: tile_of_the_next_loop
# expect: silent
"""The first loop ends where the second begins."""
#-    kernel[(triton.cdiv(n, 16),)](x, y, n, BM=16, BN=32)
#+    kernel[(triton.cdiv(n, 16),)](x, y, n, BM=16, BN=16)


# case: minus_one_is_left_out
# like: guarded_in_one_of_two
# expect: silent
"""The mask of each load leaves -1 out, in its own words."""
#     t = tl.load(ids + i, mask=ok, other=0)
#+    ok = ok & (t != -1)
#-    tl.store(Out + i, p + q, mask=ok)
#+    tl.store(Out + i, p + q, mask=i < n)


# case: masked_by_an_argument
# like: length_is_an_argument
# expect: silent
"""The mask knows the length that the launcher was given."""
#-def write(P, offs, v):
#-    tl.store(P + offs, v)
#+def write(P, offs, v, n):
#+    tl.store(P + offs, v, mask=offs < n)
#-    write(Y, offsets(tl.program_id(0), BLOCK), tl.full([BLOCK], 0.0, tl.float32) + value)
#+    write(Y, offsets(tl.program_id(0), BLOCK), tl.full([BLOCK], 0.0, tl.float32) + value, n)
