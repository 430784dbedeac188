import torch
import triton
import triton.language as tl


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
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Where a batch begins may be at any address."""
#-    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
#+    x_block = tl.make_block_ptr(X + tl.program_id(2) * M, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)


# case: descriptors_begins_between
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Blocks begin at any column."""
#-    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
#+    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN + 3
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)


# case: descriptors_in_place
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""What is read is written."""
#-    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
#+    y_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)


# case: descriptors_last_stride_is_open
# like: descriptors_of_a_copy
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Whether elements of a row lie side by side is not known."""
#-def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
#+def kernel(X, Y, M, N, s, BM: tl.constexpr, BN: tl.constexpr):
#-    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
#-    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
#+    x_block = tl.make_block_ptr(X, (M, N), (N, s), (at_m, at_n), (BM, BN), (1, 0))
#+    y_block = tl.make_block_ptr(Y, (M, N), (N, s), (at_m, at_n), (BM, BN), (1, 0))
#-    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
#+    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, x.stride(1), BM=16, BN=16)


# case: descriptors_narrow_block
# like: descriptors_of_a_copy
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Eight bytes of a row are less than a descriptor has."""
#-    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
#+    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 4))](x, y, m, n, BM=16, BN=4)


# case: descriptors_of_a_part
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""A part of another tensor may begin anywhere."""
#-    assert x.data_ptr() % 16 == 0
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)


# case: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""What was checked is not what is passed."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0 and x.is_contiguous()
    assert x.data_ptr() % 16 == 0
    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
    return y


# case: descriptors_one_axis_is_not_checked
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Beyond the last column the next row is read, of which a descriptor makes zeros."""
#-    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
#+    x = tl.load(x_block, boundary_check=(0,), padding_option="nan")
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)


# case: descriptors_parameter_moves
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""The parameter goes on to a batch, which may begin at any address."""
#     at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
#+    X += tl.program_id(2) * M
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)


# case: descriptors_says_how_to_cache
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Descriptors take no hints for caches."""
#-    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
#+    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan", eviction_policy="evict_first")
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)


# case: descriptors_stride_is_open
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""Nothing says that rows begin at multiples of 16 bytes."""
#-    assert n % 16 == 0 and x.is_contiguous()
#+    assert x.is_contiguous()
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)


# case: descriptors_two_paddings
# like: descriptors_of_a_tensor_bound_again
# expect: not applied, not-a-descriptor
# options: write=descriptors
"""One block is read with zeros around it, and with NaNs."""
#     x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
#+    x += tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
#-    x = x.view(-1)[1 : 1 + m * n - 16].view(m - 1, n)
