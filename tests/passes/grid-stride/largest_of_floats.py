# options: programs=2
"""Of floats the largest depends on what is done with NaN; of sums in between nothing is known."""

import torch
import triton
import triton.language as tl


@triton.jit
def largest_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.atomic_max(out_ptr, tl.max(x, axis=0))


# tritonopt: x: f32[n]
def largest(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros(1, device=x.device, dtype=torch.float32)
    n = x.numel()
    largest_kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out
