# expect: missed not-tunable
"""Which buffers are written stands in memory."""

import torch
import triton
import triton.language as tl


@triton.jit
def fill(Pointers, N, BLOCK: tl.constexpr):
    target = tl.load(Pointers + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    cols = tl.arange(0, BLOCK)
    tl.store(target + cols, 0.0, mask=cols < N)


def filled(pointers: torch.Tensor, n: int):
    fill[(pointers.numel(),)](pointers, n, BLOCK=128)
