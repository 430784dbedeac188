# verify: always
"""All configurations fit a length that is a multiple of 64: 64 lanes of the widest."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 64}, num_warps=2),
        triton.Config({"BLOCK": 128}, num_warps=4),
    ],
    key=["N"],
)
@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    # True if N and BLOCK are multiples of 64.
    src = tl.max_contiguous(tl.multiple_of(src, 64), 64)
    tl.store(Y + offs, tl.load(X + src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    n = x.numel()
    if n % 64:
        raise ValueError("pad it first")
    y = torch.empty(triton.cdiv(n, 128) * 128, dtype=x.dtype, device=x.device)
    repeat_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y
