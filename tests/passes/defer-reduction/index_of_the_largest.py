# expect: missed not-a-recurrence
"""The index goes with the value that it is of."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = 0
    m = float("-inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        top = tl.max(x, axis=0)
        place = tl.argmax(x, axis=0)
        best = tl.where(top > m, start + place, best)
        m = tl.maximum(m, top)
    tl.store(Y + row, best)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
