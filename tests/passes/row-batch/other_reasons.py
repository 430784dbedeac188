import torch
import triton
import triton.language as tl


# case: leaves_with_a_comment
# like: leaves_by_a_number
# expect: not applied, comment-inside
"""What is said of a return would be lost."""
#-    if tl.load(W + row):
#-        return
#+    if row >= M:
#+        return  # the grid is rounded up


# case: few_rows
# expect: not applied, few-rows
"""The launch has one row."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[1, n]
def run(x: torch.Tensor):
    n = x.shape[1]
    x = x.contiguous()
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: launched_by_a_caller
# expect: not applied, grid-is-not-readable
"""The grid comes from whoever calls the launcher."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(Y + row, tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0)))


def run(x: torch.Tensor, y: torch.Tensor, grid):
    kernel[grid](x, y, x.stride(0), x.shape[1], BLOCK=64)


# case: mask_of_a_number
# expect: not applied, mask-is-not-boolean
"""A mask that is loaded, and is a number."""


@triton.jit
def kernel(X, K, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    keep = tl.load(K + cols, mask=cols < N, other=0)
    x = tl.load(X + row * stride + cols, mask=keep, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], k: bool[n]
def run(x: torch.Tensor, k: torch.Tensor):
    m, n = x.shape
    x, k = x.contiguous(), k.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, k, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: gradient_of_weights
# expect: not applied, one-place-for-all-rows
"""All rows add to one gradient."""


@triton.jit
def kernel(X, Y, G, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x))
    tl.atomic_add(G + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    g = torch.zeros(n, device=x.device)
    kernel[(m,)](x, y, g, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, g


# case: one_counter
# expect: not applied, one-place-for-all-rows
"""Every program counts itself."""


@triton.jit
def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
    tl.atomic_add(Count, 1)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    count = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, count, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, count


# case: same_place_stored
# expect: not applied, one-place-for-all-rows
"""Every program says that it was there; and counts by what it finds."""


@triton.jit
def kernel(X, Y, Seen, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
    tl.store(Seen, tl.load(Seen) + 1)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    seen = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, seen, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, seen


# case: by_name_alone
# like: keeps_its_axis
# expect: not applied, parameter-cannot-be-added
"""A parameter behind a `*`, of which Triton takes the default: so it would of one more."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, stride, N, BLOCK: tl.constexpr, *, SCALE: tl.constexpr = 2):
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0), mask=cols < N)


# case: row_of_several_tiles
# like: row_of_several_tiles_asked_for
# expect: not applied, row-may-be-longer
"""Squares are added up tile by tile, and a later loop goes through the row again: RMS norm.

With one row to a program, that was measured to be slower than the original.
"""


# case: one_tensor_of_unknown_size
# expect: not applied, tiles-race
"""One tensor of unknown size is passed for both, and each row reads the one that the next writes."""


@triton.jit
def add_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    below = tl.load(Y + (row + 1) * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + (row + 1) * N + cols, x + below, mask=cols < N)


def running_sums(m: int, n: int):
    x = torch.ones(m + 1, n)
    add_kernel[(m,)](x, x, n, BLOCK=32)
    return x


# case: races_one_tensor_by_two_names
# expect: not applied, tiles-race
"""A row is made of another one of the same tensor."""


@triton.jit
def rows_kernel(src, dst, n, shift, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(src + (row + shift) * n + cols, mask=cols < n, other=0.0)
    tl.store(dst + row * n + cols, x / tl.sum(x, axis=0), mask=cols < n)


def run(x, shift):
    m, n = x.shape
    out = x
    rows_kernel[(m,)](x, out, n, shift, BLOCK=triton.next_power_of_2(n))
    return out


# case: reads_the_row_above
# expect: not applied, tiles-race
"""A row reads the one above, which another program writes."""


@triton.jit
def kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(X + (row + 1) * stride + cols, x - tl.sum(x), mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    kernel[(m - 1,)](x, x.stride(0), n, BLOCK=64)
    return x


# case: tuned_by_a_key_with_a_name
# expect: not applied, unknown-decorator
"""The names by which a tuner chooses stand elsewhere, maybe for other kernels too."""

KEY = ["N"]


@triton.autotune(configs=[triton.Config({}, num_warps=warps) for warps in (1, 4)], key=KEY)
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


def run(x: torch.Tensor):
    m, n = x.shape
    assert n <= 64
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: tuned_by_a_table
# like: tuned_by_a_key_with_a_name
# expect: not applied, unknown-decorator
"""A tuner of its own, which keeps what is best by the arguments that it names."""
#-KEY = ["N"]
#+from flag_gems.utils import libentry, libtuner
#-@triton.autotune(configs=[triton.Config({}, num_warps=warps) for warps in (1, 4)], key=KEY)
#+@libentry()
#+@libtuner(configs=[triton.Config({}, num_warps=warps) for warps in (1, 4)], key=["N"])
#-    assert n <= 64


# case: volatile
# expect: not applied, volatile-load
"""A volatile load."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0, volatile=True)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: name_of_either_helper
# like: helper_under_another_name
# expect: not applied, unknown-call
"""The name is given twice: which helper it is of is not known."""
#     return x * x
#
#
#+@triton.jit
#+def numbered(x):
#+    return x * tl.program_id(0)
#+
#+
# power = squared
#+if torch.cuda.is_available():
#+    power = numbered
