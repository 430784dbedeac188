# options: turns=1
"""A parameter that has a default is passed by its place, by its name, or not at all."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, B=None, scale=1.0, HAS: tl.constexpr = False):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    found = tl.sum(acc, axis=0) * scale
    if HAS:
        found += tl.load(B + row)
    tl.store(Y + row, found)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    z = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, 64)
    kernel[(m,)](x, z, x.stride(0), n, 64, y, HAS=True)
    kernel[(m,)](x, y, x.stride(0), n, 64, z, 2.0, True)
    kernel[(m,)](x, z, x.stride(0), n, BLOCK=64, scale=0.5)
    return y, z
