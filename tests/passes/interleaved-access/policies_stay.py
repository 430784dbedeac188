"""Hints to the cache that both have."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask, other=0.0, eviction_policy="evict_first")
    odd = tl.load(X + 2 * k + 1, mask=mask, other=0.0, eviction_policy="evict_first")
    tl.store(Y + k, even + odd, mask=mask, cache_modifier=".cs")


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
