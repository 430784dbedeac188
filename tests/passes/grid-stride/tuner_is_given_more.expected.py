"""What the tuner is given by ** is a dict of the file, and prunes nothing."""

import torch
import triton
import triton.language as tl


CAN_RESTORE = True
options = {"restore_value": None} if CAN_RESTORE else {}


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64})],
    key=["n"],
    **options,
)
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    num_tiles = n // 64 + 1
    kernel[(min(num_tiles, num_programs),)](x, out, n, NUM_TILES=num_tiles)
    return out
