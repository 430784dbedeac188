# options: programs=2
"""The sums may be what the rows are read from, so the atomic stays in the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def accumulate_kernel(X, Total, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.atomic_add(Total + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n], total: f32[n]
def accumulate(x: torch.Tensor, total: torch.Tensor):
    m, n = x.shape
    assert x.is_contiguous() and total.is_contiguous()
    accumulate_kernel[(m,)](x, total, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return total
