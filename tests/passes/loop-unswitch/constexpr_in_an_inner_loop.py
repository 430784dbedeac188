"""The guard stands in an inner loop, and leaves both with the branch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, scale, HAS_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        for turn in range(n):
            if HAS_SCALE:
                if scale > 0.0:
                    x = x * scale
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], scale: None|0.5|-2.0
def run(x: torch.Tensor, scale: float | None):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, out, n, scale, HAS_SCALE=scale is not None, BLOCK=16)
    return out
