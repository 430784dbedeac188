# expect: missed tile-is-not-passed
"""What the launch passes binds a name that its grid reads, which is called after it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    k = m
    kernel[lambda meta: (k + 0,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2((k := m) * 0 + n))
    return y
