# expect: silent
"""All that moves along the vector moves by its stride: it has one axis, of some billion elements."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, stride, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + place * stride, mask=place < N, other=0.0)
    tl.store(Y + tl.program_id(0), tl.sum(x, axis=0))


def sums(x: torch.Tensor, y: torch.Tensor) -> None:
    n = x.shape[0]
    if n <= 131072:
        kernel[(triton.cdiv(n, 128),)](x, y, n, x.stride(0), BLOCK=128)
