# options: block=32
"""A sum of what is not 0 where nothing is loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    row = tl.program_id(0)
    acc = 1.0
    for i in range(0, n):
        acc = acc + tl.exp(tl.load(X + row * n + i))
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n] in -3..3
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n)
    return y
