# options: elements=64
"""Each launch divides its grid, whatever it is called, and says how many rows."""

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
def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    grid = lambda meta: (x.shape[0],)
    kernel[grid](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# tritonopt: x: f32[b, m, n]
def sums_of_batches(x: torch.Tensor):
    b, m, n = x.shape
    x = x.contiguous()
    y = torch.empty(b, m, dtype=torch.float32, device=x.device)
    kernel[(b * m,)](x, y, x.stride(1), n, BLOCK=triton.next_power_of_2(n))
    return y
