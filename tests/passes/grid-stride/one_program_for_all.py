# expect: missed grid-of-processors
"""There is one program: a loop over tiles would have one tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + tl.program_id(0), tl.sum(x, axis=0))


def run(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty(1, dtype=x.dtype, device=x.device)
    kernel[(1,)](x, y, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return y
