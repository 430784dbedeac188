# expect: missed block-pointer-is-lost
"""The load goes on from where the block pointer has moved to, not from where it was made."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    p = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    total = tl.zeros((B,), dtype=tl.float32)
    for _ in range(2):
        total += tl.load(p.advance((B,)), boundary_check=(0,), padding_option="zero")
        p = tl.advance(p, (B,))
    tl.store(Y + tl.arange(0, B), total)


def run(x: torch.Tensor):
    y = torch.empty(32, dtype=x.dtype, device=x.device)
    kernel[(1,)](x, y, x.numel(), B=32)
    return y
