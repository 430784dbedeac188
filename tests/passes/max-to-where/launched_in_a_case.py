# expect: missed type-changes
"""The launch stands in a `case`, where the tensor has become fp16."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    y = tl.maximum(x, 0.1)
    tl.store(Y + cols, y, mask=cols < N)


def run(x: torch.Tensor, mode: str):
    x = x.float()
    y = torch.empty_like(x)
    match mode:
        case "half":
            x = x.half()
            kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y
