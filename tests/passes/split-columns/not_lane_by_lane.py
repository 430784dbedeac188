import torch
import triton
import triton.language as tl


# case: filled_with_the_length
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A tile is filled with its own length."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
    tl.store(Y + row * N + cols, y, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: helper_reduces
# like: filled_with_the_length
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A helper reduces the tile."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def shares(x):
#+    return x / tl.sum(x, axis=0)
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    y = shares(x) * tl.sum(x, axis=0)


# case: hint_of_its_own
# like: filled_with_the_length
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A statement says of the columns what is true of those of the first tile alone."""
#     cols = tl.arange(0, BLOCK)
#+    cols = tl.max_contiguous(tl.multiple_of(cols, 32), 32)
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#-    tl.store(Y + row * N + cols, y, mask=mask)
#+    tl.store(Y + row * N + cols, x / tl.sum(x, axis=0), mask=mask)
#-    y = torch.empty_like(x)
#+    y = torch.empty((m, n), dtype=torch.float32, device=x.device)


# case: length_of_the_tile
# like: sums_alone
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""The length of the tile goes into the result."""
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    tl.store(Y + row, tl.sum(x, axis=0) / BLOCK)


# case: own_reduction
# like: sums_alone
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A reduction by a function of the author."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def product(a, b):
#+    return a * b
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    tl.store(Y + row, tl.sum(x, axis=0) + tl.reduce(x, 0, product))


# case: own_reduction_of_a_tile
# like: filled_with_the_length
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""The product of a row, by a function of the author, in what is done to its elements."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def product(a, b):
#+    return a * b
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#-    tl.store(Y + row * N + cols, y, mask=mask)
#+    tl.store(Y + row * N + cols, x / (tl.sum(x, axis=0) + tl.reduce(tl.where(mask, x, 1.0), 0, product)), mask=mask)
#-    y = torch.empty_like(x)
#+    y = torch.empty((m, n), dtype=torch.float32, device=x.device)


# case: reduced_in_a_branch
# like: filled_with_the_length
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A tile is reduced where the compiler is asked to."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, MEAN: tl.constexpr, BLOCK: tl.constexpr):
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#-    tl.store(Y + row * N + cols, y, mask=mask)
#+    total = 0.0
#+    if MEAN:
#+        total = tl.sum(x, axis=0) / N
#+    tl.store(Y + row * N + cols, x - total, mask=mask)
#-    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, n, MEAN=True, BLOCK=triton.next_power_of_2(n))


# case: running_sum
# like: filled_with_the_length
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A sum from lane to lane."""
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    y = tl.cumsum(x, axis=0) / tl.sum(x * x, axis=0)


# case: sorted
# like: filled_with_the_length
# expect: not applied, not-lane-by-lane
# options: longest=16,block=16
"""A row is sorted."""
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#+    y = tl.sort(x) - tl.sum(x, axis=0)
