# verify: always
"""A sum of integers is the same in any order."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0)
    tl.atomic_add(P, tl.sum(x, axis=0), sem="relaxed")


# tritonopt: x: i32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    y = torch.zeros(1, dtype=torch.int32, device=x.device)
    partial[(tiles,)](x, y, n, BLOCK=16)
    return y
