# options: longest=16,block=16
# expect: missed masked-off-lanes-count
"""A row that fills its tiles would have no lanes that divide 0 by 0, and as one tile it has."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    z = tl.load(Z + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    s = tl.sum(x / z, axis=0)
    tl.store(Y + row * N + cols, x * s, mask=cols < N)


# tritonopt: x: f32[m, n], z: f32[m, n]
def run(x: torch.Tensor, z: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    z = z.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, z, y, n, BLOCK=triton.next_power_of_2(n))
    return y
