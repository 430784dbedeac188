"""How many programs there are is stored: there are fewer of longer tiles."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({}, num_warps=4),
        triton.Config({}, num_warps=2),
        triton.Config({}, num_warps=8),
        triton.Config({}, num_warps=16),
    ],
    key=["N"],
)
@triton.jit
def shares(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x / tl.num_programs(0), mask=offsets < N)


def launch(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    shares[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
