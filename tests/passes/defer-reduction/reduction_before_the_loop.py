# expect: missed not-a-recurrence
"""The reduction is not in the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    part = tl.sum(tl.load(X + row * N + lanes, mask=lanes < N, other=0.0).to(tl.float32), axis=0)
    acc = 0.0
    for turn in range(0, N):
        acc += part
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
