# options: programs=2
"""A pointer that only some rows move on starts afresh for each."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_odd_kernel(X, Y, N, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        X_tile = X
        if row % 2 == 1:
            X_tile += N
        X_tile = X_tile + row // 2 * 2 * N
        tl.store(Y + row * N + cols, tl.load(X_tile + cols, mask=cols < N), mask=cols < N)


def copy_rows(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    shift_odd_kernel[(min(m, 2),)](
        x, y, n, BLOCK=triton.next_power_of_2(n), NUM_TILES=m
    )
    return y
