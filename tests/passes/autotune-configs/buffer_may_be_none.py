# expect: missed not-tunable
"""A tuner cannot copy a buffer that is not there."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(P, G, M, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    if M is not None:
        m = tl.load(M + offsets, mask=offsets < N)
        tl.store(M + offsets, m + g, mask=offsets < N)
    tl.store(P + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, g: torch.Tensor, momentum: torch.Tensor | None):
    n = p.numel()
    step[(triton.cdiv(n, 128),)](p, g, momentum, n, BLOCK=128)
    return p
