# verify: always
# with: grid-stride
# safety: contract
"""Each program goes through tiles up to the last of the launch, as far as a program went before."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(axis=0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(axis=0), num_tiles, tl.num_programs(axis=0)):
        start = tl.cast(pid, tl.int64) * BLOCK
        offs = start + tl.arange(0, BLOCK)
        mask = offs < n
        tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    num_tiles = triton.cdiv(n, 64)
    double[(min(num_tiles, num_programs),)](x, y, n, BLOCK=64, NUM_TILES=num_tiles)
    return y
