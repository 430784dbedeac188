import torch
import triton
import triton.language as tl


# case: silent_tiles
# expect: silent
"""Programs handle tiles of one long row, side by side: there is no row."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < n)
    tl.store(Y + offsets, x * 2.0, mask=offsets < n)


# tritonopt: x: f32[n]
def double(x: torch.Tensor):
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y


# case: tiles_of_a_long_vector
# expect: silent
"""A program goes through several tiles, the next one goes on behind them: there are no rows."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, TILES: tl.constexpr):
    start = tl.program_id(0) * BLOCK * TILES
    for _ in tl.static_range(TILES):
        place = start + tl.arange(0, BLOCK)
        x = tl.load(X + place, mask=place < N)
        tl.store(Y + place, x * 2, mask=place < N)
        start += BLOCK


def run(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256, TILES=1)
    return y


# case: several_rows_already
# expect: silent
"""A program handles several rows already."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + rows, tl.sum(x, axis=1), mask=rows < M)


# tritonopt: x: f32[m, n]
def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=triton.next_power_of_2(n))
    return y
