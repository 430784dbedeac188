# verify: always
# with: interleaved-access
"""Each pair is loaded as one tile, whose mask counts elements: their number does not fit either."""

import torch
import triton
import triton.language as tl


@triton.jit
def product(A, B, n, BLOCK: tl.constexpr):
    pairs = 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    pairs_mask = pairs < 2 * tl.cast(n, tl.int64)
    real_imag = tl.load(A + pairs, mask=pairs_mask)
    real, imag = tl.split(tl.reshape(real_imag, (BLOCK, 2)))
    tl.store(
        B + pairs,
        tl.interleave(
            (real * real - imag * imag).to(B.dtype.element_ty),
            (2.0 * real * imag).to(B.dtype.element_ty),
        ),
        mask=pairs_mask,
    )


def square(a):
    n = a.numel() // 2
    b = torch.empty_like(a)
    product[(triton.cdiv(n, 32),)](a, b, n, BLOCK=32)
    return b
