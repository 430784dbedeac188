# verify: always
# options: programs=3
"""A kernel that loops over tiles, and is started for each of them."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for pid in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(out_ptr + offs, x * 2, mask=offs < n)


def scale(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    scale_kernel[(min(triton.cdiv(n, 16), 3),)](x, out, n, BLOCK=16)
    return out
