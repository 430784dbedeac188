import torch
import triton
import triton.language as tl


# case: buffers_of_the_caller
# like: given_apart
# expect: not applied, data-may-change
"""Nobody says that the two tensors lie apart."""


# case: called_by_a_kernel
# expect: not applied, data-may-change
"""Whoever calls the function may have stored what it loads."""


@triton.jit
def total_of(X, N, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0)
    return tl.sum(total, axis=0)


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tl.store(X + row * N, 0.0)
    tl.store(Y + row, total_of(X + row * N, N, BLOCK))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y


# case: in_place
# expect: not applied, data-may-change
"""Each turn has elements of its own, but it is one buffer."""


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * 2.0, mask=cols < N)


def scaled(x: torch.Tensor):
    m, n = x.shape
    scale[(m,)](x, x, n, BLOCK=64)


# case: stored_before
# expect: not applied, data-may-change
"""The first loop stores what the second one loads."""


@triton.jit
def twice(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, N, BLOCK, num_stages=1):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, tl.exp(x), mask=cols < N)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(Y + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N, tl.sum(total, axis=0))


def scaled(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    twice[(m,)](x, y, n, BLOCK=64)
    return y


# case: stored_by_the_loop_around
# expect: not applied, data-may-change
"""Behind the inner loop something is stored that it loads in the next turn of the outer one."""


@triton.jit
def sweeps(X, N, turns, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for _ in range(turns):
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + lanes
            total += tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(X + lanes, total, mask=lanes < N)


def swept(x: torch.Tensor):
    sweeps[(1,)](x, x.numel(), 3, BLOCK=64)


# case: stored_by_the_turn_before
# expect: not applied, data-may-change
"""Each turn loads what the one before stored. Triton pipelines that all the same, and loads what was
there before."""


@triton.jit
def running(X, N, BLOCK: tl.constexpr):
    for start in range(0, N - BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols)
        tl.store(X + cols + BLOCK, x + 1.0)


def ran(x: torch.Tensor):
    running[(1,)](x, x.numel(), BLOCK=64)


# case: stored_before_another_return
# like: stored_after_a_return
# expect: not applied, data-may-change
"""A program that stores may go on: the `return` is in another branch."""
#     row = tl.program_id(0)
#+    if row >= first:
#+        tl.store(X + row * N, 1.0)
#-        if row == 0:
#-            return
#-        tl.store(X + row * N, 1.0)
#+        return


# case: stored_after_a_return
# expect: not applied, data-may-change
"""Only some programs of the branch return, before they store."""


@triton.jit
def row_sum(X, Y, N, first, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row < first:
        if row == 0:
            return
        tl.store(X + row * N, 1.0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, m // 2, BLOCK=64)
    return x, y


# case: some_return_after_the_store
# like: stored_after_a_return
# expect: not applied, data-may-change
"""Of the programs that store, only the first returns."""
#     if row < first:
#+        tl.store(X + row * N, 1.0)
#-        tl.store(X + row * N, 1.0)
