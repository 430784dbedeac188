"""What is no condition of the compiler, for it changes, stays where it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    FIRST: tl.constexpr = True
    if scale > 0.0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            if FIRST:
                x = x * scale
            FIRST = False
            tl.store(Out + row * n + cols, x, mask=cols < n)
    else:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            FIRST = False
            tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], scale: 0.5|-2.0
def run(x: torch.Tensor, scale: float):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, out, n, scale, BLOCK=16)
    return out
