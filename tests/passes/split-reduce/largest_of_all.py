# verify: always
# options: turns=1
"""The largest element of a tensor: exact, and one program before."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    top = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for i in range(tl.cdiv(N, BLOCK)):
        cols = i * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        top = tl.maximum(top, x)
    tl.store(Y, tl.max(top, axis=0))


def largest(x: torch.Tensor):
    x = x.float().contiguous()
    y = torch.empty((), dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y
