# expect: missed order-is-seen
# options: longest=16,block=16
"""An atomic tells another program that the row is there."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, F, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = x / tl.sum(x, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)
    tl.atomic_xchg(F, 1)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    f = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, f, n, BLOCK=triton.next_power_of_2(n))
    return y
