"""A parameter is bound anew in terms of another one that was: both are the tile's own."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, shift, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        shift_tile = shift * pid
        X_tile = X + shift_tile
        x = tl.load(X_tile + cols, mask=shift_tile + cols < n, other=0.0)
        tl.store(Y + pid * BLOCK + cols, x, mask=pid * BLOCK + cols < n)


def launch(x: torch.Tensor):
    n = x.numel()
    x = x.contiguous()
    y = torch.empty((n,), dtype=x.dtype, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    num_tiles = triton.cdiv(n, 64)
    kernel[(min(num_tiles, num_programs),)](x, y, n, 3, BLOCK=64, NUM_TILES=num_tiles)
    return y
