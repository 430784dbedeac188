# expect: missed block-pointer-is-lost
"""The name may be bound to something else where no assignment says so."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    total = 0.0
    for i in range(n):
        if i > 3:
            break
        total += tl.sum(tl.load(x_block, boundary_check=(0,), padding_option="zero"))
        match n:
            case x_block:
                pass
    tl.store(Y, total)


def run(x: torch.Tensor):
    y = torch.empty(1)
    kernel[(1,)](x, y, x.numel(), B=32)
    return y
