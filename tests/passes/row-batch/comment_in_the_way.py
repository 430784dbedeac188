# expect: missed not-expressible
"""The mask would stand behind a comment."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + row * stride + cols  # all of it
    )
    tl.store(Y + row, tl.sum(x))


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    kernel[(x.shape[0],)](x, y, x.stride(0), BLOCK=16)
    return y
