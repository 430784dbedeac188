# verify: no, what is printed while compiling is not compared
"""A string asks for the type of the program id, and strings are not rewritten."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        pid = tl.cast(tile, tl.int32)
        tl.static_print(f"{pid.dtype}")
        tl.store(x + pid, 1.0)


def run(x: torch.Tensor):
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    kernel[(min(x.numel(), num_programs),)](x, NUM_TILES=x.numel())
