"""The name of the second load is another value until then."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    odd = k * 0.5
    pairs = 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    even_odd_2 = tl.load(X + pairs, mask=pairs < 2 * n)
    even, odd_2 = tl.split(tl.reshape(even_odd_2, (BLOCK, 2)))
    even = even + odd
    odd = odd_2
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
