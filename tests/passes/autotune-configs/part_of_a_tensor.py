# expect: missed not-tunable
"""The kernel may write beside the part that a tuner copies."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(P, G, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    tl.store(P + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, g: torch.Tensor):
    n = p.numel()
    step[(triton.cdiv(n, 128),)](p[1:], g, n, BLOCK=128)
    return p
