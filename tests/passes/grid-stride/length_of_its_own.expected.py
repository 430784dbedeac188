# verify: no, the launcher takes an object
"""What `len` says is computed just once, for a method of the file may answer anything."""

import torch
import triton
import triton.language as tl


class Batches:
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        self.rows += 1
        return self.rows


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs) + n)


def run(x: torch.Tensor, batches: Batches):
    x = x.contiguous()
    out = torch.zeros_like(x)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    num_tiles = len(batches)
    kernel[(min(num_tiles, num_programs),)](
        x, out, len(batches), BLOCK=64, NUM_TILES=num_tiles
    )
    return out
