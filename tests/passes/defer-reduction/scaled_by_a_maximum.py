# expect: silent
"""What each lane is scaled by was reduced in another loop, and there is no reduction in this one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    largest = tl.max(tl.load(X + row * N + lanes, mask=lanes < N, other=0.0).to(tl.float32), axis=0)
    exponents = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        exponents += tl.exp(x - largest)
    tl.store(Y + row, tl.sum(exponents, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
