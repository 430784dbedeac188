# expect: missed name-is-bound-elsewhere
"""Without AFFINE there is no accumulator to read behind the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, AFFINE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if AFFINE:
        total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        if AFFINE:
            total += tl.sum(x, axis=0)
    if AFFINE:
        tl.store(Y + row, total)


# tritonopt: x: f32[m, n], affine: bool
def run(x: torch.Tensor, affine: bool):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, affine, BLOCK=16)
    return y
