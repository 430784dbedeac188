import torch
import triton
import triton.language as tl


# case: another_spelling
"""Triton has another name in this file."""

import torch
import triton as tr
import triton.language as tl


@tr.jit
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
    row_sum[(tr.cdiv(m, 1),)](x, y, n, BLOCK=64)
    return y


# case: arguments_in_a_list
# options: tiles=false
"""A list that is written out is passed as it stands; what is new has a name."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    sizes = [x.stride(0), n]
    kernel[(m,)](x, y, *sizes, BLOCK=triton.next_power_of_2(n))
    return y


# case: atomic_sum
# options: tiles=false
"""What is added to atomically is put back."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.atomic_add(Y, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(1, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y


# case: function_of_a_number
# expect: not applied, not-tunable
"""The grid is a function, but not of the tile, so the tile stays."""


@triton.jit
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    double[lambda meta: (triton.cdiv(n, 128),)](x, y, n, BLOCK=128)
    return y


# case: grid_is_a_function
"""The grid asks for the tile, which the launch goes on passing."""


@triton.jit
def step(P, G, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    tl.store(P + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, g: torch.Tensor):
    n = p.numel()
    step[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](p, g, n, BLOCK=128, num_warps=1)
    return p


# case: grid_of_something_else
# expect: not applied, not-tunable
"""The grid does not depend on the tile length, so the tile stays."""


@triton.jit
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    double[(n // 128 + 1,)](x, y, n, BLOCK=128)
    return y


# case: in_place
"""What is updated in place is put back before each run."""


@triton.jit
def step(P, G, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    tl.store(P + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, g: torch.Tensor):
    n = p.numel()
    step[(triton.cdiv(n, 128),)](p, g, n, BLOCK=128)
    return p


# case: matrix_product
"""Stages matter in a loop with a product."""


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
    gram[(1,)](x.contiguous(), y, x.shape[1], BLOCK=64, num_stages=3)
    return y


# case: maximum
"""A maximum is the same in whatever order."""


@triton.jit
def row_max(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.full([BLOCK], -float("inf"), tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
        total = tl.maximum(total, x)
    tl.store(Y + row, tl.max(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_max[(m,)](x, y, n, BLOCK=1024)
    return y


# case: named_tile
"""The name of the tile has no use left."""


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
    block = 512
    row_sum[(m,)](x, y, n, BLOCK=block)
    return y


# case: neighbors_in_place
# expect: not applied, not-tunable
"""Which program comes first decides what is loaded: the tile stays."""


@triton.jit
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.clone(x)
    n = x.numel()
    double[(triton.cdiv(n, 128),)](y, y, n, BLOCK=128)
    return y


# case: no_mask
# expect: not applied, not-tunable
"""Without masks another tile would go beyond the end."""


@triton.jit
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets)
    tl.store(Y + offsets, x * 2)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel() // 128 * 128
    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128)
    return y
