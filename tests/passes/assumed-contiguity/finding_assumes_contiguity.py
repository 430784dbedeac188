import torch
import triton
import triton.language as tl


# case: expanded_after_it_was_made_contiguous
# like: expanded_and_cast
# expect: finding, assumes-contiguity
"""The mask has the elements of one row, and the kernel reads those of all."""
#-    tl.store(Y + at, x * keep, mask=at < N)
#+    tl.store(Y + at, tl.where(keep, x, 0.0), mask=at < N)
#     x = x.contiguous()
#+    mask = mask.contiguous()
#+    all_of_it = mask.expand(x.shape)
#-    all_of_it = mask.expand(x.shape).to(torch.int32)


# case: half_of_each_row
# expect: finding, assumes-contiguity
"""`chunk` along the last dimension leaves gaps."""


@triton.jit
def kernel(A, B, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    a = tl.load(A + row * N + cols, mask=cols < N)
    b = tl.load(B + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, a * b, mask=cols < N)


def launch(x):
    a, b = x.chunk(2, dim=-1)
    m, n = a.shape
    y = torch.empty((m, n), device=x.device)
    kernel[(m,)](a, b, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: scaled_in_place
# expect: finding, assumes-contiguity
"""A copy would be scaled, and the caller's tensor not: no fix."""


@triton.jit
def kernel(X, S, N, WIDTH, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    s = tl.load(S + at // WIDTH, mask=at < N)
    tl.store(X + at, x * s, mask=at < N)


def launch(x, s):
    m, n = x.shape
    kernel[(triton.cdiv(m * n, 64),)](x, s, m * n, n, BLOCK=64)
    return x


# case: columns_found_by_a_remainder
# expect: finding, assumes-contiguity
"""A bias for each column, through a name for the tensor: no fix, for the name may go anywhere."""


@triton.jit
def kernel(X, B, Y, N, WIDTH, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    b = tl.load(B + at % WIDTH, mask=at < N)
    tl.store(Y + at, x + b, mask=at < N)


def launch(x, bias):
    y = torch.empty(x.shape, device=x.device)
    flat = x.detach()
    n = x.shape[1]
    kernel[(triton.cdiv(x.numel(), 64),)](flat, bias, y, x.numel(), n, BLOCK=64)
    return y


# case: written_through_another_parameter
# like: rows_found_by_a_division
# expect: finding, assumes-contiguity
"""The launch writes the tensor through Y: a copy would be read, and the tensor be changed."""
# import triton.language as tl
#-

#-    y = torch.empty_like(x)
#-    kernel[(triton.cdiv(m * n, 64),)](x, s, y, m * n, n, BLOCK=64)
#-    return y
#+    scale = 64
#+    kernel[(triton.cdiv(m * n, scale),)](x, s, x, m * n, n, BLOCK=scale)
#+    return s


# case: changed_by_torch_afterwards
# like: rows_found_by_a_division
# expect: finding, assumes-contiguity
"""The caller's tensor is changed after the launch: a copy of it would be."""
# import triton.language as tl
#-

#-    y = torch.empty_like(x)
#+    y = torch.empty((m, n), device=x.device)
#     kernel[(triton.cdiv(m * n, 64),)](x, s, y, m * n, n, BLOCK=64)
#+    x += y
