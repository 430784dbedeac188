# expect: missed value-is-not-known
"""What is multiplied is the tile of the iteration before, which had a mask of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    before = tl.zeros([BLOCK], dtype=tl.float32)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.where(cols < N, x * before, 0.0)
        before = x
    tl.store(OUT, tl.sum(acc, axis=0))


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    out = torch.empty(1, device=x.device)
    kernel[(1,)](x, out, x.numel(), BLOCK=16)
    return out
