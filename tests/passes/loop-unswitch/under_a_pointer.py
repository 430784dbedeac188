"""Whether a pointer was passed is for the compiler to know."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if W is not None:
            if flag > 0:
                x = x * tl.load(W + cols, mask=cols < n, other=0.0)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], w: f32[n] | None, flag: int in -1..1
def run(x: torch.Tensor, w: torch.Tensor | None, flag: int):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
