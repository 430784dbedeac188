# verify: always
# options: raise_block=64
"""No row is longer than the tile that a launch may have, so that no loop stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-6)
    tl.store(Y + cols, x * rstd, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    assert n <= 64
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(max(n, 16)))
    return y
