# expect: missed unseen-launches
"""What warmup returns is launched with another grid."""

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
    compiled = kernel.warmup(x, out, n, BLOCK=64, grid=(1,))
    compiled[(triton.cdiv(n, 64), 1, 1)](x, out, n, 64)
    return out
