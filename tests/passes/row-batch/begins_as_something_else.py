# expect: missed rows-differ
"""What a loop carries begins as a number that is computed."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, least, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = least * 2.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x, axis=0))
    tl.store(Y + row, largest)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, 0.5, BLOCK=16)
    return y
