# expect: silent
"""A number beyond 2**31 is passed in 64 bits: the loop over tiles counts in these."""

import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})], key=["n"])
@triton.jit
def double(X, Y, n, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    programs = 8 * torch.cuda.get_device_properties(0).multi_processor_count
    grid = lambda meta: (min(triton.cdiv(n, meta["BLOCK"]), programs),)
    double[grid](x, y, n)
    return y
