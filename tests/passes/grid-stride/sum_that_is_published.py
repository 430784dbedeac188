# options: programs=2
"""An order of memory says that somebody reads what came before."""

import torch
import triton
import triton.language as tl


@triton.jit
def publish_kernel(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    tl.store(out_ptr + offs, x + 1, mask=offs < n)
    tl.atomic_add(count_ptr, 1, sem="release")


# tritonopt: x: i32[n]
def publish(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    count = torch.zeros(1, device=x.device, dtype=torch.int32)
    n = x.numel()
    publish_kernel[(triton.cdiv(n, 16),)](x, out, count, n, BLOCK=16)
    return out, count
