# expect: missed masked-off-lanes-count
"""A tenth less a tenth is not 0 where one of them is of the type of the data, bf16 say."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.1).to(tl.float32)
    total = tl.sum(x - 0.1, axis=0)
    tl.store(Y + row * N + cols, x * total, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
