# verify: always
# options: block=32
"""Whether any element is so, and whether all are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    some_tile = tl.full([SCALAR_BLOCK], False, dtype=tl.int1)
    every_tile = tl.full([SCALAR_BLOCK], True, dtype=tl.int1)
    flag_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + i, mask=mask)
        some_tile = some_tile | (mask & (x == 3))
        every_tile &= tl.where(mask, x > -4, True)
        active = mask & (x == 5)
        flag_tile = tl.where(active, 1, flag_tile)
    every = tl.min(every_tile.to(tl.int32), axis=0) != 0
    flag = tl.max(flag_tile, axis=0)
    some = tl.max(some_tile.to(tl.int32), axis=0) != 0
    tl.store(Y, some)
    tl.store(Y + 1, every)
    tl.store(Y + 2, flag)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
