import torch
import triton
import triton.language as tl


# case: a_check_that_is_not_understood
# like: no_mask
# expect: silent
"""Something is checked that cannot be read."""
#     n = x.numel()
#+    assert fits(n)


# case: another_launch_is_not_seen
# like: no_mask
# expect: silent
"""The kernel is handed out, so its launches are not all seen."""
#     return y
#+
#+
#+KERNELS = {"copy": kernel}


# case: as_long_as_it_asserts
# like: one_of_several_lengths
# expect: silent
"""The one length that is let through fits the tile, which is not passed."""
#-    assert d in (32, 64, 128)
#+    assert d == 128


# case: blocks_that_stay_inside
# expect: silent
"""Along the other axis the tile has the length of the row."""


@triton.jit
def kernel(X, Y, M, N: tl.constexpr, BLOCK: tl.constexpr):
    x = tl.make_block_ptr(X, (M, N), (N, 1), (tl.program_id(0) * BLOCK, 0), (BLOCK, N), (1, 0))
    y = tl.make_tensor_descriptor(Y, shape=[M, N], strides=[N, 1], block_shape=[BLOCK, N])
    y.store([tl.program_id(0) * BLOCK, 0], tl.load(x, boundary_check=(0,)))


def launch(x):
    x = x.contiguous()
    m, n = x.shape
    assert n == 64
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16),)](x, y, m, N=64, BLOCK=16)
    return y


# case: bounded
# like: no_mask
# expect: silent
"""The mask bounds what is addressed."""
#-    tl.store(Y + offsets, x * 2)
#+    tl.store(Y + offsets, x * 2, mask=offsets < N)


# case: bounded_otherwise
# like: no_mask
# expect: silent
"""The same bound, spelled otherwise."""
#-    tl.store(Y + offsets, x * 2)
#+    tl.store(Y + offsets, x * 2, mask=(offsets < N) & (offsets >= 0))


# case: bounded_rows
# like: row_for_column
# expect: silent
"""Rows and columns are bounded."""
#-    tl.store(Y + row * stride + cols, x, mask=(row < M) & (cols < BLOCK))
#+    tl.store(Y + row * stride + cols, x, mask=cols < N)


# case: bounded_rows_in_turns
# like: rows_in_turns
# expect: silent
"""Each program goes through rows so far apart as there are programs."""
#-    for row in range(tl.program_id(0), M + 1, tl.num_programs(0)):
#+    for row in range(tl.program_id(0), M, tl.num_programs(0)):


# case: bounded_tiles
# like: lengths_swapped
# expect: silent
"""A tile that is bounded along both axes."""
#-    inside = (rows[:, None] < M) & (cols[None, :] < M)
#+    inside = (rows[:, None] < M) & (cols[None, :] < N)


# case: buffer_of_fixed_length
# like: dimensions_are_not_known
# expect: silent
"""Which tensors fit a buffer of fixed length is for the callers to know."""
#-    y = torch.empty_like(x)
#-    n = x.shape[0]
#+    n = x.numel()
#+    y = torch.empty(64, device=x.device)


# case: buffer_of_the_caller
# like: no_mask
# expect: silent
"""The caller brings the buffer, and may well bring one that is long enough."""
#-def launch(x):
#-    y = torch.empty_like(x)
#+def launch(x, out):
#+    y = out


# case: checked_by_the_caller
# like: dimensions_are_not_known
# expect: silent
"""The function that calls the launcher checks what it hands on."""
#-    n = x.shape[0]
#+    n = x.numel()
#     return y
#+
#+
#+def double_of_a_few(x):
#+    assert odd(x)
#+    return double(x)


# case: decorated_launcher
# like: dimensions_are_not_known
# expect: silent
"""What the decorator passes on is not known."""
#     tl.store(Y + offsets, x * 2, mask=offsets <= N)
#
#
#+def padded(function):
#+    return lambda x: function(torch.nn.functional.pad(x, (0, -x.numel() % 64)))
#+
#+
#+@padded
#-    n = x.shape[0]
#+    n = x.numel()


# case: dimensions_are_not_known
# expect: silent
"""Rows of several elements, for all that the launcher shows."""


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets <= N)


def double(x):
    y = torch.empty_like(x)
    n = x.shape[0]
    scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: left_before
# expect: silent
"""Programs beyond the end leave before they store."""


@triton.jit
def kernel(X, Y, M):
    row = tl.program_id(0)
    if row >= M:
        return
    tl.store(Y + row, tl.load(X + row))


def launch(x):
    m = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 4) * 4,)](x, y, m)
    return y


# case: grid_of_tiles
# like: grid_of_tiles_for_one_height
# expect: silent
"""The grid asks for the height of the tile."""
#-    BM = 64
#-    grid = (triton.cdiv(m, BM), triton.cdiv(n, 32))
#+
#+    def grid(meta):
#+        return triton.cdiv(m, meta["BM"]), triton.cdiv(n, 32)
#+
