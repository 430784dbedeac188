# expect: missed grid-is-not-readable
# options: programs=2
"""The function that is the grid would ask the property once more."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, one, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + one)


class Counter:
    def __init__(self):
        self.asked = 3

    @property
    def rows(self):
        self.asked += 1
        return self.asked


def run(x: torch.Tensor):
    x = torch.arange(160, device=x.device) + x.sum()
    out = torch.zeros_like(x)
    counter = Counter()
    kernel[lambda META: (counter.rows,)](x, out, 1, BLOCK=16)
    return out, counter.asked
