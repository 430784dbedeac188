# options: block=32
"""How often the loop turns is loaded; the end gets a name."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Lengths, Y, n):
    row = tl.program_id(0)
    acc = 0
    for i in range(tl.load(Lengths + row)):
        acc += tl.load(X + row * n + i)
    tl.store(Y + row, acc)


# tritonopt: x: i32[m, n] in -9..9, lengths: i32[m] in 0..300
def run(x: torch.Tensor, lengths: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, torch.clamp(lengths, 0, n), y, n)
    return y
