# verify: always
"""Quaternions: every fourth element, four times."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):

    quads = 4 * tl.program_id(0) * BLOCK + tl.arange(0, 4 * BLOCK)
    quads_mask = quads < 4 * n
    a_b_c_d = tl.load(X + quads, mask=quads_mask, other=0.0)
    even, odd = tl.split(tl.reshape(a_b_c_d, (BLOCK, 2, 2)))
    a, c = tl.split(even)
    b, d = tl.split(odd)
    tl.store(
        Y + quads,
        tl.interleave(tl.interleave(a, -c), tl.interleave(-b, -d)),
        mask=quads_mask,
    )


def run(x: torch.Tensor):
    n = x.numel() // 4
    y = torch.empty(4 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
