# verify: always
"""Bits that are common, bits that are somewhere, and parity."""

import torch
import triton
import triton.language as tl


@triton.jit
def both(a, b):
    return a & b


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    common = tl.full([BLOCK], -1, dtype=tl.int32)
    anywhere = tl.zeros([BLOCK], dtype=tl.int32)
    parity = 5
    parity_tile = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0)
        common = common & x
        anywhere |= x
        parity_tile ^= x
    common = tl.reduce(common, 0, both)
    anywhere = tl.reduce(anywhere, 0, either)
    parity ^= tl.xor_sum(parity_tile, axis=0)
    tl.store(Y + row * 3, common)
    tl.store(Y + row * 3 + 1, anywhere)
    tl.store(Y + row * 3 + 2, parity)


# tritonopt: x: i32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, 3, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
