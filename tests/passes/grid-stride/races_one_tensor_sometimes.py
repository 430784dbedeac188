# expect: missed tiles-race
"""Only some callers ask for the tensor itself."""

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
    out = x if in_place else torch.empty_like(x)
    shift_kernel[(triton.cdiv(n, 1024),)](x, out, n, shift, BLOCK=1024)
    return x
