# verify: always
"""The largest of tiles, none of which is below -1: nothing is NaN."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
    tl.atomic_max(P, tl.maximum(tl.max(x, axis=0), -1.0), sem="relaxed")


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    y = torch.full((1,), -float("inf"), dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, y, n, BLOCK=16)
    return y
