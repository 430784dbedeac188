# expect: unchanged
"""The descriptor is the same, and the tile another."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    tiles = tl.make_tensor_descriptor(W, [n, n], [n, 1], [BLOCK, BLOCK])
    for start in range(0, n, BLOCK):
        tile = tiles.load([start, 0])
        tl.store(Out + start + tl.arange(0, BLOCK), tl.sum(tile, axis=0))


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
