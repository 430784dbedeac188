# expect: silent
"""Where there is one program only, it reads its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(X + offsets, x, mask=offsets + 1 < N)


def shift(x: torch.Tensor):
    n = x.numel()
    shift_kernel[(1,)](x, n, BLOCK=triton.next_power_of_2(n))
