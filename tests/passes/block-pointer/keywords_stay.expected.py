"""Cache modifiers and eviction policies are kept, and so is a comment behind."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    offs_n = tl.program_id(0) * B + tl.arange(0, B).to(tl.int64)
    x_block = X + offs_n
    y_block = Y + offs_n
    x = tl.load(x_block, mask=offs_n < n, other=0.0, eviction_policy="evict_last")  # ours
    tl.store(y_block, x, mask=offs_n < n, cache_modifier=".cs")


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
