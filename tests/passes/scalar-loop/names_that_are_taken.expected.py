# options: block=32
"""The names that the loop would get are taken, and so is that of the index."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, start, mask):
    SCALAR_BLOCK: tl.constexpr = 32
    i = start + mask
    acc_tile = i * 2
    acc_tile_2 = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    for start_2 in range(0, n, SCALAR_BLOCK):
        lanes = start_2 + tl.arange(0, SCALAR_BLOCK)
        mask_2 = lanes < n
        active = mask_2 & (lanes < mask)
        acc_tile_2 += tl.where(active, tl.load(X + lanes, mask=active) + start, 0)
    acc = tl.sum(acc_tile_2, axis=0)
    tl.store(Y, acc + acc_tile)


# tritonopt: x: i32[n] in -5..5, start: int in 1..3, mask: int in 0..300
def run(x: torch.Tensor, start: int, mask: int):
    y = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, x.numel(), start, mask)
    return y
