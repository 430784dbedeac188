"""The least integer of a tensor: the output begins with the largest one."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=2147483647)
    tl.store(P + pid, tl.min(x, axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    least = 2147483647
    for start in range(0, M, BLOCK):
        place = start + slots
        x = tl.load(P + place, mask=place < M, other=2147483647)
        least = tl.minimum(least, tl.min(x, axis=0))
    tl.store(Y, least)


# tritonopt: x: i32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.int32, device=x.device)
    y = torch.empty(1, dtype=torch.int32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=8)
    return y
