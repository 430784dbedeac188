# verify: no, the three tensors of the caller are drawn as one or apart
"""The caller may pass one tensor for both."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 128}, num_warps=4),
        triton.Config({"BLOCK": 512}, num_warps=2),
        triton.Config({"BLOCK": 512}, num_warps=4),
        triton.Config({"BLOCK": 1024}, num_warps=4),
        triton.Config({"BLOCK": 1024}, num_warps=8),
        triton.Config({"BLOCK": 2048}, num_warps=4),
        triton.Config({"BLOCK": 2048}, num_warps=8),
        triton.Config({"BLOCK": 4096}, num_warps=8),
        triton.Config({"BLOCK": 4096}, num_warps=16),
        triton.Config({"BLOCK": 8192}, num_warps=16),
    ],
    key=["N"],
    restore_value=["Q"],
)
@triton.jit
def step(P, Q, G, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    tl.store(Q + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, q: torch.Tensor, g: torch.Tensor):
    n = p.numel()
    step[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](p, q, g, n)
    return q
