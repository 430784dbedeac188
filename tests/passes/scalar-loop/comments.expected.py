# options: block=32
"""What is said of statements, branches and headers stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):  # one program
    SCALAR_BLOCK: tl.constexpr = 32
    # Counted from nothing.
    above_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    below_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    # Over all of them.
    for start in range(0, n, SCALAR_BLOCK):  # one by one
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + i, mask=mask)
        active = mask & (x > 1)  # above
        active_2 = mask & ~(x > 1)
        # One more.
        above_tile += tl.where(active, 1, 0)
        # Or else:
        active_3 = active_2 & (x < -1)  # below
        active_4 = active_2 & ~(x < -1)  # in between
        below_tile += tl.where(active_3, 1, 0)  # one less
        x = tl.where(active_4, 0, x)
        # To be seen.
        tl.store(X + i, x, mask=mask)
    above = tl.sum(above_tile, axis=0)
    below = tl.sum(below_tile, axis=0)
    # The end.
    tl.store(Y, above)
    tl.store(Y + 1, below)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
