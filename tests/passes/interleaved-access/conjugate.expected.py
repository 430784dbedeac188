# verify: always
"""Complex numbers, loaded and stored in halves."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):

    pairs = 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    pairs_mask = pairs < 2 * n
    real_imag = tl.load(X + pairs, mask=pairs_mask)
    real, imag = tl.split(tl.reshape(real_imag, (BLOCK, 2)))
    tl.store(Y + pairs, tl.interleave(real, -imag), mask=pairs_mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
