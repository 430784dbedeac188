# verify: always
# with: interleaved-access
"""Each pair is loaded as one tile, whose mask counts elements: their number does not fit either."""

import torch
import triton
import triton.language as tl


@triton.jit
def product(A, B, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    real = tl.load(A + 2 * i, mask=mask)
    imag = tl.load(A + 2 * i + 1, mask=mask)
    tl.store(B + 2 * i, real * real - imag * imag, mask=mask)
    tl.store(B + 2 * i + 1, 2.0 * real * imag, mask=mask)


def square(a):
    n = a.numel() // 2
    b = torch.empty_like(a)
    product[(triton.cdiv(n, 32),)](a, b, n, BLOCK=32)
    return b
