# expect: missed rows-differ
"""How many tiles a row has, it says itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Starts, Y, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(Starts + row)
    behind = tl.load(Starts + row + 1)
    total = 0.0
    for start in range(first, behind, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < behind, other=0.0))
    tl.store(Y + row, total)


def run(x: torch.Tensor, starts: torch.Tensor):
    m = starts.shape[0] - 1
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, starts, y, BLOCK=16)
    return y
