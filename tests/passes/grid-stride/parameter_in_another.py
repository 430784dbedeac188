"""A parameter is bound anew in terms of another one that was: both are the tile's own."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, shift, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    shift = shift * pid
    X += shift
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=shift + cols < n, other=0.0)
    tl.store(Y + pid * BLOCK + cols, x, mask=pid * BLOCK + cols < n)


def launch(x: torch.Tensor):
    n = x.numel()
    x = x.contiguous()
    y = torch.empty((n,), dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 64),)](x, y, n, 3, BLOCK=64)
    return y
