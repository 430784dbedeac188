# options: longest=16,block=16
"""Each element is stored where it was loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-5)
    tl.store(X + row * N + cols, x * rstd, mask=mask)


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    _rstd = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        _rstd += x * x
    rstd = 1 / tl.sqrt(tl.sum(_rstd, axis=0) / N + 1e-5)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(X + row * N + cols, x * rstd, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    if triton.next_power_of_2(n) > 16:
        kernel_long[(m,)](x, n, BLOCK=16)
    else:
        kernel[(m,)](x, n, BLOCK=triton.next_power_of_2(n))
    return x
