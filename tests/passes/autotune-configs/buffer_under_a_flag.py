# expect: missed not-tunable
"""Without the flag there may be no buffer."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(P, G, M, N, HAS_M: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    if HAS_M:
        m = tl.load(M + offsets, mask=offsets < N)
        tl.store(M + offsets, m + g, mask=offsets < N)
    tl.store(P + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, g: torch.Tensor, momentum: torch.Tensor | None):
    n = p.numel()
    has = momentum is not None
    step[(triton.cdiv(n, 128),)](p, g, momentum, n, HAS_M=has, BLOCK=128)
    return p
