# options: block=32
"""The largest element, which is the same in any order."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    row = tl.program_id(0)
    largest = float("-inf")
    for i in range(n):
        largest = tl.maximum(largest, tl.load(X + row * n + i))
    tl.store(Y + row, largest)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n)
    return y
