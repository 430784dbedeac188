# options: block=32
"""How often the loop turns is loaded; the end gets a name."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Lengths, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    row = tl.program_id(0)
    acc_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    end = tl.load(Lengths + row)
    for start in range(0, end, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < end
        acc_tile += tl.load(X + row * n + i, mask=mask, other=0)
    acc = tl.sum(acc_tile, axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: i32[m, n] in -9..9, lengths: i32[m] in 0..300
def run(x: torch.Tensor, lengths: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, torch.clamp(lengths, 0, n), y, n)
    return y
