"""Both sides of a tile are up to the tuner, and rows are what is left of the elements."""

import torch
import triton
import triton.language as tl

TILES = [triton.Config({"ROWS": 4, "COLS": 16}), triton.Config({"ROWS": 1, "COLS": 32})]


def tiles():
    return TILES


@triton.autotune(configs=tiles(), key=["M", "N"])
@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    for start in range(0, N, COLS):
        cols = start + tl.arange(0, COLS)
        mask = (row < M) & (cols[None, :] < N)
        x = tl.load(X + row.to(tl.int64) * N + cols[None, :], mask=mask)
        tl.store(Y + row.to(tl.int64) * N + cols[None, :], x * 2, mask=mask)


# tritonopt: x: f32[m, n]
def launch(x):
    x = x.contiguous()
    m = x.shape[0]
    n = x.numel() // m
    y = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(m, meta["ROWS"]),)
    kernel[grid](x, y, m, n)
    return y
