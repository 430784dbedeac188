# options: block=32
"""An accumulator that starts with a parameter, and over several lines."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, bias):
    SCALAR_BLOCK: tl.constexpr = 32
    row = tl.program_id(0)
    acc = bias.to(tl.float32)
    acc_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.float32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        acc_tile += tl.load(X + row * n + i, mask=mask, other=0)
    acc += tl.sum(acc_tile, axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, 0.5)
    return y
