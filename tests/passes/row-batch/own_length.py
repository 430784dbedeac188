# options: elements=64
# verify: always
"""How long a row is, it says itself, in a mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, L, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    length = tl.load(L + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=(cols < N) & (cols < length), other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0) / tl.maximum(length, 1))


# tritonopt: x: f32[m, n], l: i32[m] in 0..n
def means(x: torch.Tensor, l: torch.Tensor):
    m, n = x.shape
    x, l = x.contiguous(), l.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, l, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
