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
def kernel(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, SHIFT: tl.constexpr):
    pid = tl.program_id(0)
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
    kernel[(n // 64 + 1,)](x, out, n, BLOCK=64)
    return out
