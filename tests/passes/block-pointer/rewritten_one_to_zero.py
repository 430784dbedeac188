import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y


# case: one_rests_while_the_other_moves
"""The first move of one is along no axis that the other has: the steps of each are counted apart."""


@triton.jit
def kernel(X, Z, Y, stride, M, N, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (M, N), (stride, 1), (0, 0), (B, B), (1, 0))
    z_block = tl.make_block_ptr(Z, (N,), (1,), (0,), (B,), (0,))
    x_block = tl.advance(x_block, (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    z = tl.load(z_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    x_block = tl.advance(x_block, (0, B))
    z_block = tl.advance(z_block, (B,))
    x += tl.load(x_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    z += tl.load(z_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    offs = tl.arange(0, B)
    tl.store(Y + offs[:, None] * B + offs[None, :], x + z[None, :])


def run(x: torch.Tensor, z: torch.Tensor):
    m, n = x.shape
    assert z.numel() == n
    x, z = x.contiguous(), z.contiguous()
    y = torch.empty((8, 8), dtype=torch.float32, device=x.device)
    kernel[(1,)](x, z, y, x.stride(0), m, n, B=8)
    return y


# case: padding_is_nan
# like: one_axis
"""What is outside is NaN: the sum over a ragged tile is NaN before and after."""
#-    y_block = tl.make_block_ptr(Y, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
#-    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
#-    tl.store(y_block, tl.exp(x), boundary_check=(0,))
#+    x = tl.load(x_block, boundary_check=(0,), padding_option="nan")
#+    tl.store(Y + tl.program_id(0), tl.sum(x, axis=0))
#-    y = torch.empty_like(x)
#+    y = torch.empty(triton.cdiv(n, 32), dtype=x.dtype)


# case: parts_are_no_tuples
"""`(pid * B)` is a number, and Triton takes it for a tuple of one."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1), (pid * B), (B,), (0))
    y_block = tl.make_block_ptr(Y, (n,), 1, (pid * B,), (B,), 0)
    tl.store(y_block, tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))
# shared: run


# case: same_name_again
"""One name for one block pointer after another."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    p = tl.make_block_ptr(X, (n,), (1,), (begin,), (B,), (0,))
    x = tl.load(p, boundary_check=(0,), padding_option="zero")
    p = tl.make_block_ptr(Y, (n,), (1,), (begin,), (B,), (0,))
    tl.store(p, x + 1, boundary_check=(0,))
    p = begin + tl.arange(0, B)
    tl.store(Y + p, x + 1, mask=p < n)
# shared: run


# case: size_is_bound_again
# like: one_axis
"""The mask needs the size that was, which is gone where the load is."""
#-    y_block = tl.make_block_ptr(Y, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
#+    n = tl.minimum(n, 40)
#-    tl.store(y_block, tl.exp(x), boundary_check=(0,))
#+    offs = tl.program_id(0) * B + tl.arange(0, B)
#+    tl.store(Y + offs, x + n, mask=offs < n)
#-    y = torch.empty_like(x)
#+    y = torch.zeros_like(x)


# case: strides_of_64_bits
"""Rows that are far apart, and are counted from a number of 64 bits."""


@triton.jit
def kernel(X, Y, m, n, stride, BM: tl.constexpr, BN: tl.constexpr):
    row = (tl.program_id(0) * BM).to(tl.int64)
    x_block = tl.make_block_ptr(X + row * stride, (m - row, n), (stride.to(tl.int64), 1), (0, 0), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y + row * n, (m - row, n), (n, 1), (0, 0), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(1, 0), padding_option="nan")
    tl.store(y_block, x, boundary_check=(0, 1))


def run(x: torch.Tensor):
    """
    x: f32[m, n]
    n <= 32
    """
    m, n = x.shape
    y = x.new_empty(m, n)
    assert x.stride(1) == 1
    kernel[(triton.cdiv(m, 16),)](x, y, m, n, x.stride(0), BM=16, BN=32)
    return y


# case: the_whole_axis_is_in_the_tile
"""A check of an axis that the tile covers exactly asks nothing."""


@triton.jit
def kernel(X, Y, M, BM: tl.constexpr, BN: tl.constexpr):
    begin = tl.program_id(0) * BM
    x_block = tl.make_block_ptr(X, (M, BN), (BN, 1), (begin, 0), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=[1, 0], padding_option="zero")
    tl.store(Y + begin + tl.arange(0, BM), tl.sum(x, axis=1), mask=begin + tl.arange(0, BM) < M)


def run(x: torch.Tensor):
    assert x.dim() == 2 and x.shape[1] == 16
    x = x.contiguous()
    y = torch.empty(x.shape[0], dtype=x.dtype)
    kernel[(triton.cdiv(x.shape[0], 4),)](x, y, x.shape[0], BM=4, BN=16)
    return y


# case: three_axes
"""Strides of three axes, one of them constant."""


@triton.jit
def kernel(X, Y, D, M, N, sd, sm, BD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    x_block = tl.make_block_ptr(
        X, (D, M, N), (sd, sm, 1), (0, pid_m * BM, pid_n * BN), (BD, BM, BN), (2, 1, 0)
    )
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1, 2), padding_option="zero")
    tl.store(y_block, tl.sum(x, axis=0), boundary_check=(0, 1))


def run(x: torch.Tensor):
    d, m, n = x.shape
    assert d <= 4
    x = x.contiguous()
    y = torch.empty((m, n), dtype=x.dtype)
    kernel[(triton.cdiv(m, 4), triton.cdiv(n, 8))](
        x, y, d, m, n, x.stride(0), x.stride(1), BD=4, BM=4, BN=8
    )
    return y


# case: type_of_one_that_moves
"""The type of a block pointer that goes is asked of its base."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    y_block = tl.make_block_ptr(Y, (n,), (1,), (0,), (B,), (0,))
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    for _ in range(tl.cdiv(n, B)):
        x = tl.load(x_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
        tl.store(y_block, (x * 3).to(y_block.dtype.element_ty), boundary_check=(0,))
        x_block = x_block.advance((B,))
        y_block = y_block.advance([B])


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel(), B=16)
    return y


# case: zero_checks_nothing
"""`boundary_check=0` names no axis: Triton asks whether it is true. `(0)` is the same."""


@triton.jit
def kernel(X, Y, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (B // 2,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (B // 2,), (1,), (pid * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=0, padding_option="nan")
    tl.store(y_block, x, boundary_check=(0))


def run(x: torch.Tensor):
    """x: f32[32]"""
    y = torch.empty_like(x)
    kernel[(1,)](x, y, B=32)
    return y


# case: single_column
"""A column is `[:, None]` of its rows; one that is not the first, or may be missing, has offsets."""


@triton.jit
def kernel(X, S, T, Y, M, N, K, stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS
    x_block = tl.make_block_ptr(
        X,
        shape=(M, N),
        strides=(stride, 1),
        offsets=(row, 0),
        block_shape=(ROWS, BLOCK),
        order=(1, 0),
    )
    s_block = tl.make_block_ptr(
        S, shape=(M, 1), strides=(1, M), offsets=(row, 0), block_shape=(ROWS, 1), order=(1, 0)
    )
    last_block = tl.make_block_ptr(
        T, shape=(M, 2), strides=(2, 1), offsets=(row, 1), block_shape=(ROWS, 1), order=(1, 0)
    )
    first_block = tl.make_block_ptr(
        T, shape=(M, K), strides=(2, 1), offsets=(row, 0), block_shape=(ROWS, 1), order=(1, 0)
    )
    y_block = tl.make_block_ptr(
        Y,
        shape=(M, N),
        strides=(stride, 1),
        offsets=(row, 0),
        block_shape=(ROWS, BLOCK),
        order=(1, 0),
    )
    s = tl.load(s_block, boundary_check=(0, 1), padding_option="zero")
    first = tl.load(first_block, boundary_check=(0, 1), padding_option="zero")
    last = tl.load(last_block, boundary_check=(0, 1), padding_option="zero")
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
    tl.store(y_block, x * s + first - last, boundary_check=(0, 1))


def scaled(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    s = torch.arange(m, device=x.device, dtype=torch.float32)
    t = torch.ones(m, 2, device=x.device, dtype=torch.float32)
    block = triton.next_power_of_2(n)
    kernel[(triton.cdiv(m, 4),)](x, s, t, y, m, n, 2, x.stride(0), ROWS=4, BLOCK=block)
    return y
