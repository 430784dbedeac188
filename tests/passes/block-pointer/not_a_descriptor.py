import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0 and x.is_contiguous()
    assert x.data_ptr() % 16 == 0
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
    return y


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))


# case: booleans
# expect: not applied, not-a-descriptor
"""A block pointer loads booleans as int8: -1 + -1 is none of theirs."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.program_id(0) * B + tl.arange(0, B), x + x, mask=tl.arange(0, B) < n)


def run(m: int):
    x = torch.ones(m, dtype=torch.bool)
    y = torch.empty(m, dtype=torch.int32)
    kernel[(1,)](x, y, m, B=32)
    return y


# case: descriptors_base_moves
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Where a batch begins may be at any address."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X + tl.program_id(2) * M, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))
# shared: run


# case: descriptors_begins_between
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Blocks begin at any column."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN + 3
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))
# shared: run


# case: descriptors_in_place
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""What is read is written."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))
# shared: run


# case: descriptors_last_stride_is_open
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Whether elements of a row lie side by side is not known."""


@triton.jit
def kernel(X, Y, M, N, s, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, s), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, s), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0 and x.is_contiguous()
    assert x.data_ptr() % 16 == 0
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, x.stride(1), BM=16, BN=16)
    return y


# case: descriptors_narrow_block
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Eight bytes of a row are less than a descriptor has."""
# shared: kernel


def run(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0 and x.is_contiguous()
    assert x.data_ptr() % 16 == 0
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 4))](x, y, m, n, BM=16, BN=4)
    return y


# case: descriptors_of_a_part
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""A part of another tensor may begin anywhere."""
# shared: kernel


def run(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0 and x.is_contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
    return y


# case: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""What was checked is not what is passed."""
# shared: kernel


def run(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0 and x.is_contiguous()
    assert x.data_ptr() % 16 == 0
    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
    return y


# case: descriptors_one_axis_is_not_checked
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Beyond the last column the next row is read, of which a descriptor makes zeros."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0,), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))
# shared: run


# case: descriptors_parameter_moves
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""The parameter goes on to a batch, which may begin at any address."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    X += tl.program_id(2) * M
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))
# shared: run


# case: descriptors_says_how_to_cache
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Descriptors take no hints for caches."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan", eviction_policy="evict_first")
    tl.store(y_block, x * 2, boundary_check=(0, 1))
# shared: run


# case: descriptors_stride_is_open
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Nothing says that rows begin at multiples of 16 bytes."""
# shared: kernel


def run(x: torch.Tensor):
    m, n = x.shape
    assert x.is_contiguous()
    assert x.data_ptr() % 16 == 0
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
    return y


# case: descriptors_two_paddings
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""One block is read with zeros around it, and with NaNs."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    x += tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
    tl.store(y_block, x * 2, boundary_check=(0, 1))
# shared: run
