# verify: always
# options: elements=64
"""Each row adds to the place of its class; programs add at any time."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, K, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.load(K + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.atomic_add(Y + k * N + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n], k: i32[m] in 0..3
def classes(x: torch.Tensor, k: torch.Tensor):
    m, n = x.shape
    x, k = x.contiguous(), k.contiguous()
    y = torch.zeros(4, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, k, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
