# expect: missed unseen-launches
"""What stands above the kernel starts more programs than the launch says."""

import torch
import triton
import triton.language as tl


class Twice:
    def __init__(self, fn):
        self.fn = fn

    def __getitem__(self, grid):
        return self.fn[tuple(2 * extent for extent in grid)]


@Twice
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    half = x.numel() // 2
    block = 64
    kernel[(triton.cdiv(half, block),)](x, out, half, BLOCK=block)
    return out
