import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


# case: checked_after_the_launch
# expect: not applied, hint-can-be-false
"""Too late."""
# shared: repeat_kernel


def repeat(x: torch.Tensor):
    n = x.numel()
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    assert n % 64 == 0
    return y


# case: checked_for_each_of_none
# expect: not applied, hint-can-be-false
"""A check in a loop that may have no iteration."""
# shared: repeat_kernel


def repeat(x: torch.Tensor, sizes):
    n = x.numel()
    for size in sizes:
        if n % 64:
            raise ValueError(size)
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y


# case: checked_in_another_branch
# expect: not applied, hint-can-be-false
"""The check is done on one way only."""
# shared: repeat_kernel


def repeat(x: torch.Tensor, strict: bool):
    n = x.numel()
    if strict:
        assert n % 64 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y


# case: configurations_from_elsewhere
# expect: not applied, hint-can-be-false
"""The tuner's configurations are not in this file."""


@triton.autotune(configs=get_configurations(), key=["N"])
@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def repeat(x: torch.Tensor):
    n = x.numel()
    assert n % 64 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(2,)](x, y, n)
    return y


# case: length_of_any_size
# expect: not applied, hint-can-be-false
"""Nothing says that N is a multiple of anything."""
# shared: repeat_kernel


def repeat(x: torch.Tensor):
    n = x.numel()
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y


# case: multiple_of_three
# expect: not applied, hint-can-be-false
"""A multiple of 3 is no power of two."""
# shared: repeat_kernel


def repeat(x: torch.Tensor):
    n = x.numel()
    assert n % 3 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y


# case: other_size_checked
# expect: not applied, hint-can-be-false
"""What is checked is not what is passed."""
# shared: repeat_kernel


def repeat(x: torch.Tensor):
    m, n = x.shape
    assert m % 64 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y


# case: overruled_by_a_heuristic
# expect: not applied, hint-can-be-false
"""The launch passes 16, but the heuristic chooses by its own rule."""


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["N"])})
@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def repeat(x: torch.Tensor):
    n = x.numel()
    assert n % 16 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=16)
    return y


# case: resized_after_the_check
# expect: not applied, hint-can-be-false
"""The tensor has another size than the one that was checked."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def run(x):
    y = torch.empty_like(x)
    assert x.shape[0] % 128 == 0
    x.resize_(100)
    kernel[(4,)](x, y, x.shape[0], BLOCK=128)
    return y


# case: second_launch_unchecked
# expect: not applied, hint-can-be-false
"""One launcher checks, the other does not."""
# shared: repeat_kernel


def repeat(x: torch.Tensor):
    n = x.numel()
    assert n % 64 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y


def repeat_any(x: torch.Tensor):
    n = x.numel()
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y


# case: selected_beyond_the_end
# expect: not applied, hint-can-be-false
# assume: N % BLOCK == 0
"""A whole program may lie beyond N, and then all of its lanes select element 0."""


@triton.jit
def scale_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where(offs < N, offs, 0)
    tl.store(Y + offs, tl.load(X + safe), mask=offs < N)


# case: selected_past_the_grid
# expect: not applied, hint-can-be-false
"""The grid has a program more than there are blocks."""


@triton.jit
def scale_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where(offs < N, offs, 0)
    tl.store(Y + offs, tl.load(X + safe), mask=offs < N)


def scaled(x: torch.Tensor):
    n = x.numel()
    assert n % 64 == 0
    y = torch.empty_like(x)
    scale_kernel[(triton.cdiv(n, 64) + 1,)](x, y, n, BLOCK=64)
    return y


# case: starts_inside_the_row
# expect: not applied, hint-can-be-false
# assume: N % BLOCK == 0
# assume: begin >= 0
"""The length fits, but the blocks begin anywhere."""


@triton.jit
def window_kernel(X, Y, N, begin, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = (begin + lanes) % N
    tl.store(Y + lanes, tl.load(X + cols), mask=lanes < N)


# case: wrong_way_round
# expect: not applied, hint-can-be-false
# assume: BLOCK % N == 0
"""The block being a multiple of the length is no help."""
# shared: repeat_kernel


def repeat(x: torch.Tensor):
    n = x.numel()
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y
