"""The largest magnitude, or 0: the output begins with 0, as it did."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.atomic_max(P, tl.max(tl.maximum(tl.abs(x), 0.0), axis=0), sem="relaxed")


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    y = torch.zeros(2, dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, y, n, BLOCK=16)
    return y
