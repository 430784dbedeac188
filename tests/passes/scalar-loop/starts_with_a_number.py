# options: block=32
"""An accumulator that starts with a parameter, and over several lines."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, bias):
    row = tl.program_id(0)
    acc = bias.to(tl.float32)
    for i in range(n):
        acc += tl.load(
            X + row * n + i,
        )
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, 0.5)
    return y
