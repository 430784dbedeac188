# expect: silent
"""How far apart the programs' heads are is for the caller to say: it need not fit the tensor."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, HEADS: tl.constexpr, HEAD: tl.constexpr):
    offsets = tl.program_id(0) * HEADS * HEAD + tl.arange(0, HEADS * HEAD)
    tl.store(Y + offsets, tl.load(X + offsets) * 2)


def launch(x: torch.Tensor, heads, head):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, heads, head)
    return y
