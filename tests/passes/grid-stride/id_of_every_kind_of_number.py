# options: programs=3
"""What takes numbers as well as tensors takes the loop variable as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    group = pid // GROUP
    first = tl.multiple_of(pid * BLOCK, BLOCK)
    offs = first + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    if pid % GROUP == 0 and group < 100:
        x = x + tl.minimum(group, 7)
    for i in range(group, group + 2):
        x += i
    tl.store(out_ptr + offs, x, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16, GROUP=4)
    return out
