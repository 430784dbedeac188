# expect: missed masked-off-lanes-count
"""Lanes that hold no partial result count as 0, if there are any."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
    tl.store(P + pid, tl.maximum(tl.max(x, axis=0), -1.0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=0.0)
    tl.store(Y, tl.max(x, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.float32, device=x.device)
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y
