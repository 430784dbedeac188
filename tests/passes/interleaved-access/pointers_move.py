# expect: missed not-expressible
"""A loop moves the pointers."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.arange(0, BLOCK)
    at = X + 2 * k
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        even = tl.load(at, mask=start + k < n, other=0.0)
        odd = tl.load(at + 1, mask=start + k < n, other=0.0)
        acc += even * odd
        at += 2 * BLOCK
    tl.store(Y + k, acc)


def run(x: torch.Tensor):
    y = torch.empty(32, dtype=torch.float32, device=x.device)
    kernel[(1,)](x.contiguous(), y, x.numel() // 2, BLOCK=32)
    return y
