# expect: missed not-expressible
# options: axis=1
"""What stands before the axis in the grid would be evaluated after it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(1)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    sizes = iter([1, 2, 3])
    kernel[(next(sizes), next(sizes))](x, out, n, BLOCK=64)
    return out
