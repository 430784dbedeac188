import torch
import triton
import triton.language as tl


# case: not_an_address
# expect: unchanged
# assume: N % BLOCK == 0
"""Not an address: which of two values a lane gets."""


@triton.jit
def signs_kernel(Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    phase = offs % N
    tl.store(Y + offs, tl.where(phase < 2, 1.0, -1.0))


# case: promised_as_eight
# like: right_by_the_launcher
# expect: unchanged
"""A narrow hint that is true of a wrap: all that can be said."""
#-    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
#+    ram = tl.max_contiguous(tl.multiple_of(rm % M, 8), 8)
#-    assert m % 128 == 0 and k > 0
#+    assert m % 8 == 0


# case: promised_of_a_parameter
# expect: unchanged
"""A promise about what the caller passes, which only the caller can break."""


@triton.jit
def row_kernel(X, Y, stride, BLOCK: tl.constexpr):
    stride = tl.multiple_of(stride, 8)
    offs = tl.program_id(0) * stride + tl.arange(0, BLOCK)
    tl.store(Y + offs, tl.load(X + tl.multiple_of(offs, 8)))


# case: right_by_a_flag
# expect: unchanged
"""The launcher's flag may say just what the hint needs."""


@triton.jit
def rows_kernel(A, Y, M, BLOCK: tl.constexpr, EVEN_M: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rows = offs % M
    if EVEN_M:
        rows = tl.max_contiguous(tl.multiple_of(offs % M, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(A + rows), mask=offs < M)


# case: right_by_the_launcher
# expect: unchanged
"""A true hint: the launcher sees to it."""


@triton.jit
def rows_kernel(A, Y, M, K, BLOCK_M: tl.constexpr):
    pid_m = tl.program_id(0)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    tl.store(Y + rm, tl.load(A + ram), mask=rm < M)


def rows(a: torch.Tensor):
    m, k = a.shape
    assert m % 128 == 0 and k > 0
    y = torch.empty(m, dtype=a.dtype, device=a.device)
    rows_kernel[(triton.cdiv(m, 64),)](a, y, m, k, BLOCK_M=64)
    return y


# case: right_in_a_loop
# expect: unchanged
"""True by the arithmetic of the kernel."""


@triton.jit
def copy_kernel(X, Y, N, BLOCK: tl.constexpr):
    for start in range(0, N, BLOCK):
        start = tl.multiple_of(start, BLOCK)
        offs = tl.max_contiguous(tl.multiple_of(start + tl.arange(0, BLOCK), BLOCK), BLOCK)
        tl.store(Y + offs, tl.load(X + offs, mask=offs < N), mask=offs < N)


# case: selected_by_two_conditions
# expect: unchanged
# assume: N % BLOCK == 0
"""More than the end decides."""


@triton.jit
def halo_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where((offs < N) & (offs > 0), offs, 0)
    tl.store(Y + offs, tl.load(X + safe), mask=offs < N)


# case: stops_before_it_wraps
# like: stops_before_the_end
# expect: unchanged
"""A block that would wrap is left to somebody else, so the hint is true."""
#-    if start >= M:
#+    if start + BLOCK > M:
#-    tl.store(Y + offs, tl.load(A + rows), mask=offs < M)
#+    tl.store(Y + offs, tl.load(A + rows))
