"""The largest magnitude, or 0: the output begins with 0, as it did."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(P + pid, tl.max(tl.maximum(tl.abs(x), 0.0), axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    most = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, M, BLOCK):
        place = start + slots
        most = tl.maximum(most, tl.load(P + place, mask=place < M, other=0.0))
    tl.store(Y, tl.max(most, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.float32, device=x.device)
    y = torch.zeros(2, dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=8)
    return y
