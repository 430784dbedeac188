# verify: no, the launcher takes an object
"""What `len` says is computed just once, for a method of the file may answer anything."""

import torch
import triton
import triton.language as tl


class Batches:
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        self.rows += 1
        return self.rows


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + n)


def run(x: torch.Tensor, batches: Batches):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(len(batches),)](x, out, len(batches), BLOCK=64)
    return out
