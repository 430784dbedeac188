# expect: missed program-ids-are-used
"""Each line that is printed begins with the program id."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + offs, mask=offs < n)
    tl.device_print("values", values)
    tl.store(out + offs, values + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out
