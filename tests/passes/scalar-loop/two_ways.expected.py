# options: block=32
"""Both branches store, each under its own mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    row = tl.program_id(0)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + row * n + i, mask=mask)
        active = mask & (x > 0)
        active_2 = mask & ~(x > 0)
        y = x * 2.0
        tl.store(Y + row * n + i, y, mask=active)
        # Nothing but the sign.
        tl.store(Y + row * n + i, -x, mask=active_2)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
