# expect: missed one-place-for-all-rows
"""Every program says that it was there; and counts by what it finds."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Seen, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
    tl.store(Seen, tl.load(Seen) + 1)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    seen = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, seen, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, seen
