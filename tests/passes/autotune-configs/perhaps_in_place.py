# verify: no, the three tensors of the caller are drawn as one or apart
"""The caller may pass one tensor for both."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(P, Q, G, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    tl.store(Q + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, q: torch.Tensor, g: torch.Tensor):
    n = p.numel()
    step[(triton.cdiv(n, 128),)](p, q, g, n, BLOCK=128)
    return q
