# expect: missed one-place-for-all-rows
"""All rows add to one gradient."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, G, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x))
    tl.atomic_add(G + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    g = torch.zeros(n, device=x.device)
    kernel[(m,)](x, y, g, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, g
