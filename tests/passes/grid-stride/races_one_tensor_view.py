# expect: missed tiles-race
"""Two views of one tensor."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(src, dst, n, shift, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(src + offsets + shift, mask=offsets + shift < n, other=0.0)
    tl.store(dst + offsets, x * 2.0, mask=offsets < n)


def run(x, shift, in_place):
    n = x.numel()
    shift_kernel[(triton.cdiv(n, 1024),)](x.view(-1), x.detach(), n, shift, BLOCK=1024)
    return x
