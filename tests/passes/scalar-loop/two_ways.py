# options: block=32
"""Both branches store, each under its own mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    row = tl.program_id(0)
    for i in range(n):
        x = tl.load(X + row * n + i)
        if x > 0:
            y = x * 2.0
            tl.store(Y + row * n + i, y)
        else:
            # Nothing but the sign.
            tl.store(Y + row * n + i, -x)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
