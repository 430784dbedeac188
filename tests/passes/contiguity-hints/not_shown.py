import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


# case: bound_again_after_the_check
# like: length_of_any_size
# expect: not applied, not-shown
"""The name that was checked holds something else at the launch."""
#-def repeat(x: torch.Tensor):
#+def repeat(x: torch.Tensor, tail: int):
#     n = x.numel()
#+    assert n % 64 == 0
#+    n += tail


# case: bound_for_all_functions
# like: whole_tiles_by_the_grid
# expect: not applied, not-shown
"""Other functions may bind the global name after the check."""
# import triton.language as tl
#+from setup import prepare
#-    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)

#-    kernel[(min(4, n // 128),)](x, y, n, BLOCK=128)
#+    global size
#+    size = n
#+    assert size % 128 == 0
#+    prepare()
#+    kernel[(4,)](x, y, size, BLOCK=128)


# case: configuration_appended
# expect: not applied, not-shown
"""The list of the tuner gets longer after it is bound."""


CONFIGS = [triton.Config({"BLOCK": 64})]
CONFIGS.append(triton.Config({"BLOCK": 256}))


@triton.autotune(configs=CONFIGS, key=["N"])
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def run(x, n):
    y = torch.empty_like(x)
    assert n % 128 == 0
    kernel[(4,)](x, y, n)
    return y


# case: configurations_handed_on
# like: configuration_appended
# expect: not applied, not-shown
"""Who gets the list of the tuner may make it longer."""
# import triton.language as tl
#+from tuning import extend
#-CONFIGS.append(triton.Config({"BLOCK": 256}))
#+extend(CONFIGS)


# case: every_other_element
# expect: not applied, not-shown
# assume: N % BLOCK == 0
"""Neighboring lanes are 2 apart."""


@triton.jit
def even_kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = (2 * lanes) % N
    tl.store(Y + lanes, tl.load(X + even))


# case: heuristic_replaced
# like: configuration_appended
# expect: not applied, not-shown
"""Another heuristic takes the place of the first."""
#-CONFIGS = [triton.Config({"BLOCK": 64})]
#-CONFIGS.append(triton.Config({"BLOCK": 256}))
#+HEURISTICS = {"BLOCK": lambda args: 128}
#+HEURISTICS["BLOCK"] = lambda args: 256
#-@triton.autotune(configs=CONFIGS, key=["N"])
#+@triton.heuristics(HEURISTICS)


# case: hidden_arguments
# expect: not applied, not-shown
"""The launch hides what it passes behind a star."""
# shared: repeat_kernel


def repeat(*arguments):
    assert arguments[2] % 64 == 0
    repeat_kernel[(8,)](*arguments, BLOCK=64)


# case: kernel_escapes
# like: length_of_any_size
# expect: not applied, not-shown
"""The kernel is in a table, where anybody may launch it."""
#     n = x.numel()
#+    assert n % 64 == 0
#     return y
#+
#+
#+KERNELS = {"repeat": repeat_kernel}


# case: length_of_each_lane
# expect: not applied, not-shown
"""Each lane wraps at a length of its own."""


@triton.jit
def ragged_kernel(X, Lengths, Y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    length = tl.load(Lengths + lanes)
    tl.store(Y + lanes, tl.load(X + (tl.program_id(0) * BLOCK + lanes) % length))


# case: loaded_indices
# expect: not applied, not-shown
# assume: N % BLOCK == 0
"""What was loaded may be anything."""


@triton.jit
def gather_kernel(X, Index, Y, N, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(Index + lanes) % N
    tl.store(Y + lanes, tl.load(X + index))


# case: may_be_negative
# expect: not applied, not-shown
# assume: N % BLOCK == 0
"""Lanes before the row: -1 % N is -1 in compiled code."""


@triton.jit
def halo_kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = (lanes - BLOCK) % N
    tl.store(Y + lanes, tl.load(X + left), mask=lanes < N)


# case: no_address
# expect: not applied, not-shown
"""The wrapped offsets are stored, and nothing is loaded with them."""


@triton.jit
def kernel(Y, M, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    rows = (pid * BLOCK + tl.arange(0, BLOCK)) % M
    tl.store(Y + pid * BLOCK + tl.arange(0, BLOCK), rows)


def launch(m: int):
    m = 128 * m
    y = torch.empty((m,), dtype=torch.int32)
    kernel[(m // 128,)](y, m, BLOCK=128)
    return y


# case: offset_of_any_sign
# expect: not applied, not-shown
# assume: N % BLOCK == 0
# assume: shift % BLOCK == 0
"""An offset that the caller chooses may be negative, whatever it is a multiple of."""


@triton.jit
def roll_kernel(X, Y, N, shift, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = (lanes + shift) % N
    tl.store(Y + lanes, tl.load(X + src), mask=lanes < N)


# case: rounded_from_a_float
# expect: not applied, not-shown
"""`int(scale * 64)` is no multiple of 64 where scale is 0.5."""
# shared: repeat_kernel


def repeat(x: torch.Tensor, scale: float):
    n = int(scale * 64)
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y


# case: strided_rows
# expect: not applied, not-shown
# assume: M % BLOCK == 0
"""The rows of a matrix: a stride lies between the lanes."""


@triton.jit
def first_column(A, Y, M, stride_am, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rows = offs % M
    tl.store(Y + offs, tl.load(A + rows * stride_am))
