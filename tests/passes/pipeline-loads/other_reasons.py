import torch
import triton
import triton.language as tl


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y


# case: asserted
# expect: not applied, assertion-in-the-loop
"""The assertion must fail before data is loaded."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        tl.device_assert(start < N)
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: single_elements
# expect: not applied, compiler-knows
"""The compiler brings no single element forward."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for i in range(N):
        total += tl.load(X + row * N + i)
    tl.store(Y + row, total)
# shared: sums


# case: under_a_condition
# expect: not applied, compiler-knows
"""What stands under a condition at run time is not brought forward."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        if start % 128 == 0:
            total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: matrix_product
# expect: not applied, dot-in-the-loop
"""The `num_stages` of the launch pipelines these loads."""


@triton.jit
def gram(X, Y, N, BLOCK: tl.constexpr):
    rows = tl.arange(0, 16)
    total = tl.zeros([16, 16], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=cols[None, :] < N, other=0.0)
        total = tl.dot(x, tl.trans(x), total)
    tl.store(Y + rows[:, None] * 16 + rows[None, :], total)


# tritonopt: x: f32[16, n]
def grams(x: torch.Tensor):
    y = torch.empty((16, 16), dtype=torch.float32, device=x.device)
    gram[(1,)](x.contiguous(), y, x.shape[1], BLOCK=64)
    return y


# case: left_early
# expect: not applied, early-exit
"""The loop ends before its end; Triton compiles that in its interpreter only."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        if start > 256:
            break
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: while_loop
# expect: not applied, loop-is-not-plain
"""There is no `tl.range` for a `while`."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    start = 0
    while start < N:
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        start += BLOCK
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: flattened
# expect: not applied, loop-options
"""The loop around is to become one with this one."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    for row in tl.range(4, flatten=True):
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: atomic_inside
# expect: not applied, memory-order
"""Triton moves the loads across the atomic; whoever waits for it would see old data."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.atomic_add(Y + row, 0.0)
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: barrier_inside
# expect: not applied, memory-order
"""Triton pipelines no loop with a barrier."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.debug_barrier()
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: inline_assembly
# expect: not applied, memory-order
"""Nobody knows what the assembly does to memory."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        total = tl.inline_asm_elementwise(
            "mov.b32 $0, $1;", "=r,r", [total], dtype=tl.float32, is_pure=False, pack=1
        )
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: language_has_no_name
# expect: not applied, not-expressible
"""The file has names for a few functions, and none for `tl.range`."""

import torch
import triton
from triton.language import arange, constexpr, float32, load, program_id, store, sum, zeros


@triton.jit
def row_sum(X, Y, N, BLOCK: constexpr):
    row = program_id(0)
    total = zeros([BLOCK], dtype=float32)
    for start in range(0, N, BLOCK):
        cols = start + arange(0, BLOCK)
        total += load(X + row * N + cols, mask=cols < N, other=0.0)
    store(Y + row, sum(total, axis=0))
# shared: sums


# case: long_by_one_configuration
# expect: not applied, tile-is-long
"""One configuration of the tuner has tiles that do not fit."""


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 1024}),
        triton.Config({"BLOCK": 16384}),
    ],
    key=["N"],
)
@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n)
    return y


# case: long_tiles
# expect: not applied, tile-is-long
"""Two tiles of 16384 numbers of four bytes take 128 KiB, which not every GPU has."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.float()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=16384)
    return y


# case: one_iteration
# expect: not applied, one-iteration
"""The tile holds the row: no iteration is left to load for."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: volatile
# expect: not applied, volatile-load
"""A pipelined load is volatile no longer."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0, volatile=True)
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums
