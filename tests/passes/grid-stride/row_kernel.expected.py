# options: programs=3
"""A row to a program: pointers are bound again, and the weights belong to no row."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(X, Y, W, stride, N, eps, BLOCK: tl.constexpr, NUM_TILES=None):
    """Divides a row by its root mean square."""
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    # The weights are those of all rows.
    w = tl.load(W + cols, mask=mask, other=0.0)  # read once
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        X_tile = X + row * stride
        Y_tile = Y + row * stride

        x = tl.load(X_tile + cols, mask=mask, other=0.0).to(tl.float32)
        mean_square = tl.sum(x * x, axis=0) / N
        tl.store(Y_tile + cols, x * tl.rsqrt(mean_square + eps) * w, mask=mask)


def rms_norm(x: torch.Tensor, w: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    rms_norm_kernel[(min(m, 3),)](
        x, y, w, x.stride(0), n, 1e-6, BLOCK=triton.next_power_of_2(n), NUM_TILES=m
    )
    return y
