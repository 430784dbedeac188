import torch
import triton
import triton.language as tl


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * 2.0, mask=cols < N)


# case: another_spelling
"""The language has another name in this file."""

import torch
import triton
from triton import language as lang


@triton.jit
def row_sum(X, Y, N, BLOCK: lang.constexpr):
    row = lang.program_id(0)
    total = lang.zeros([BLOCK], dtype=lang.float32)
    for start in range(0, N, BLOCK):
        cols = start + lang.arange(0, BLOCK)
        total += lang.load(X + row * N + cols, mask=cols < N, other=0.0)
    lang.store(Y + row, lang.sum(total, axis=0))
# shared: sums


# case: backwards
# like: plain_range
"""From the end of the row to its start."""
#-    for start in range(0, N, BLOCK):
#+    for start in range((tl.cdiv(N, BLOCK) - 1) * BLOCK, -1, -BLOCK):


# case: gathered
"""Which row is loaded is loaded itself: both are brought forward, one after the other."""


@triton.jit
def pick(X, Index, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        places = tl.load(Index + cols, mask=cols < N, other=0)
        total += tl.load(X + row * N + places, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n], index: i64[n] in 0..n-1
def picked(x: torch.Tensor, index: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    pick[(m,)](x, index.contiguous(), y, n, BLOCK=64)
    return y


# case: given_apart
# verify: no, the buffers of the caller are drawn alike
# assume: disjoint(X, Y)
"""The caller passes both buffers, and the user says that they lie apart."""
# shared: scale


def scaled(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    scale[(m,)](x, y, n, BLOCK=64)


# case: helper_loads
# like: plain_range
"""A helper loads the tile."""
# @triton.jit
#+def tile_of(X, cols, N):
#+    return tl.load(X + cols, mask=cols < N, other=0.0)
#+
#+
#+@triton.jit
#-        cols = start + tl.arange(0, BLOCK)
#-        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
#+        total += tile_of(X + row * N, start + tl.arange(0, BLOCK), N)


# case: inner_loop
# like: flattened
"""Only the inner loop can be pipelined; the turns of the outer one store elsewhere."""
#-def row_sum(X, Y, N, BLOCK: tl.constexpr):
#-    for row in tl.range(4, flatten=True):
#+def row_sum(X, Y, M, N, BLOCK: tl.constexpr):
#+    for row in range(tl.program_id(0), M, tl.num_programs(0)):
#-    row_sum[(m,)](x, y, n, BLOCK=64)
#+    row_sum[(2,)](x, y, m, n, BLOCK=64)


# case: over_several_lines
# like: plain_range
"""A comment stands in the call, and stays."""
#-    for start in range(0, N, BLOCK):
#+    for start in range(
#+        0,
#+        N,  # elements, not bytes
#+        BLOCK,
#+    ):


# case: plain_range
"""A sum over a row: each turn waits for its own load."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums


# case: pointers_move
# like: plain_range
"""The address of the next turn is made by this one."""
#-    for start in range(0, N, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#-        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
#+    cols = tl.arange(0, BLOCK)
#+    pointers = X + row * N + cols
#+    left = N
#+    for _ in range(tl.cdiv(N, BLOCK)):
#+        total += tl.load(pointers, mask=cols < left, other=0.0)
#+        pointers += BLOCK
#+        left -= BLOCK


# case: shorter_than_the_row
# like: plain_range
"""The tile is as long as the row, but never above 512 elements."""
#-    row_sum[(m,)](x, y, n, BLOCK=64)
#+    row_sum[(m,)](x, y, n, BLOCK=min(triton.next_power_of_2(n), 512))


# case: stores_elsewhere
"""What the loop stores is a tensor of the launcher's own."""
# shared: scale


def scaled(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    scale[(m,)](x, y, n, BLOCK=64)
    return y


# case: tile_of_the_row
# like: plain_range
"""How long a tile is no launch shows: that it fits is assumed."""
#-    row_sum[(m,)](x, y, n, BLOCK=64)
#+    row_sum[(m,)](x, y, n, BLOCK=triton.next_power_of_2(triton.cdiv(n, 64)))


# case: tl_range
# like: plain_range
"""`tl.range` without stages pipelines no loads either; what it says of other matters stays."""
#-    for start in range(0, N, BLOCK):
#+    for start in tl.range(0, N, step=BLOCK, disable_licm=True):


# case: under_a_flag
"""The compiler decides the condition, and compiles the load or does not."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr, LOADS: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        if LOADS:
            total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        else:
            total += 1.0
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor, loads: bool):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64, LOADS=loads)
    return y


# case: unrolled_inside
"""A loop of the compiler's own inside: it is gone when loops are pipelined."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr, HALVES: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, HALVES * BLOCK):
        for half in tl.static_range(HALVES):
            cols = start + half * BLOCK + tl.arange(0, BLOCK)
            total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64, HALVES=2)
    return y


# case: stored_where_the_program_returns
# like: stored_after_a_return
"""Programs that store to the row have returned before the loop."""
#     if row < first:
#+        for start in range(0, N, BLOCK):
#+            cols = start + tl.arange(0, BLOCK)
#+            tl.store(X + row * N + cols, 0.0, mask=cols < N)
#-            return
#-        tl.store(X + row * N, 1.0)
#+            tl.store(X + row * N, 1.0)
#+        return
