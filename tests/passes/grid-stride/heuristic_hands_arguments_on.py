# expect: missed parameter-cannot-be-added
"""What the heuristic hands its arguments to looks at each of them."""

import torch
import triton
import triton.language as tl


def pick(named):
    return sum(value is None for value in named.values())


def choose(args):
    return pick(args) if "BLOCK" in args else 0


TABLE = {"OFFSET": choose}


@triton.heuristics(TABLE)
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, OFFSET: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + OFFSET, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n, BLOCK=64)
    return out
