"""Single arguments by their names: one argument more changes nothing."""

import torch
import triton
import triton.language as tl


def is_even(args):
    return args["n"] % args["BLOCK"] == 0


@triton.heuristics(
    {
        "EVEN": lambda args: is_even(args),
        "SHIFT": lambda args: args.get("start", 0) if "start" in args else 1,
    }
)
@triton.jit
def kernel(
    x,
    out,
    n,
    BLOCK: tl.constexpr,
    EVEN: tl.constexpr,
    SHIFT: tl.constexpr,
    NUM_TILES=None,
):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        values = tl.load(x + offs, mask=mask) + SHIFT
        if EVEN:
            values += 1
        tl.store(out + offs, values, mask=mask)


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
    kernel[(min(num_tiles, num_programs),)](x, out, n, BLOCK=64, NUM_TILES=num_tiles)
    return out
