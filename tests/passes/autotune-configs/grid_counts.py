# expect: missed grid-is-not-readable
"""The grid takes down what it was asked, once for each launch so far."""

import torch
import triton
import triton.language as tl


@triton.jit
def halve(X, N, stride, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(X + tl.program_id(0) * stride + cols, 0.5 * x, mask=cols < N)


def halved(x: torch.Tensor):
    m, n = x.shape
    asked = []

    def grid(meta):
        asked.append(meta["BLOCK"])
        return (m,)

    halve[grid](x, n, x.stride(0), BLOCK=triton.next_power_of_2(n))
    return x, asked
