# expect: missed unseen-launches
"""What a launch returns is the compiled kernel, which can be launched again."""

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
    compiled = kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    compiled[(1, 1, 1)](x, out, n, 64)
    return out
