# expect: missed grid-is-not-readable
"""The grid would be asked twice, and answers something else each time."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    sizes = iter([1, 2, 3])
    kernel[lambda META: (next(sizes),)](x, out, n, BLOCK=64)
    return out
