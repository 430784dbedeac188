# options: programs=2
"""Comparisons of comparisons, remainders, None, and comments that stay."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, bias, out, n, limit, BLOCK: tl.constexpr):
    pid = tl.program_id(0)  # one row each
    if (pid < limit) == 0:  # beyond
        # Rows of padding have no data.
        return
    odd = pid % 2
    if odd:
        return
    if pid == 4 or pid == 6:
        return
    if bias is None:
        return
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0)
    if tl.sum(v, axis=0) > 1.0:
        return
    tl.store(out + pid * n + cols, v + tl.load(bias), mask=cols < n)


# tritonopt: x: f32[m, n], bias: f32[n]
def run(x: torch.Tensor, bias: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m + 1,)](x, bias, out, n, m, BLOCK=triton.next_power_of_2(n))
    return out
