# verify: always
# options: elements=64
"""Each row goes to where an index of its own says."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, I, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    index = tl.load(I + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + index * stride + cols, mask=cols < N)
    tl.store(Y + row * stride + cols, x, mask=cols < N)


# tritonopt: x: f32[k, n], i: i64[m] in 0..k-1
def gather(x: torch.Tensor, i: torch.Tensor):
    n = x.shape[1]
    x, i = x.contiguous(), i.contiguous()
    y = torch.empty(i.shape[0], n, dtype=x.dtype, device=x.device)
    kernel[(i.shape[0],)](x, i, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
