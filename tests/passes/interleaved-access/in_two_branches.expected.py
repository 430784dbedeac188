"""Each branch stores its pairs: offsets are computed above both."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, SWAP: tl.constexpr, BLOCK: tl.constexpr):

    pairs = 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    pairs_mask = pairs < 2 * n
    even_odd = tl.load(X + pairs, mask=pairs_mask)
    even, odd = tl.split(tl.reshape(even_odd, (BLOCK, 2)))
    if SWAP:
        tl.store(Y + pairs, tl.interleave(odd, even), mask=pairs_mask)
    else:
        tl.store(Y + pairs, tl.interleave(even, odd), mask=pairs_mask)


def run(x: torch.Tensor, swap: bool):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, SWAP=swap, BLOCK=32)
    return y
