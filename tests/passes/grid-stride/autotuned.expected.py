# verify: always
# options: programs=4
"""The tuner chooses the block, so only the kernel knows how many tiles there are."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}, num_warps=1)],
    key=["n"],
)
@triton.jit
def scale_kernel(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    for pid in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(out_ptr + offs, x * factor, mask=offs < n)


def scale(x: torch.Tensor, factor: float = 0.5):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    scale_kernel[lambda META: (min(triton.cdiv(n, META["BLOCK"]), 4),)](x, out, n, factor)
    return out
