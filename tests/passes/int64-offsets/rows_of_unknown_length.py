# expect: silent
"""Only a tensor of one axis could have so many rows, and these have more than one element."""

import math

import torch
import triton
import triton.language as tl


TILES = [triton.Config({"ROWS": 4, "BLOCK": 256}), triton.Config({"ROWS": 1, "BLOCK": 1024})]


def tiles():
    return TILES


@triton.autotune(configs=tiles(), key=["M", "N"])
@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        total += tl.load(X + row * N + cols, mask=(row < M) & (cols < N), other=0.0)
    tl.store(Y + row, tl.sum(total, axis=1)[:, None], mask=row < M)


def sums(x: torch.Tensor) -> torch.Tensor:
    m = x.shape[0]
    n = math.prod(x.shape[1:])
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    grid = lambda meta: (triton.cdiv(m, meta["ROWS"]),)
    kernel[grid](x, y, m, n)
    return y
