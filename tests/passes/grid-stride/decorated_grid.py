# expect: missed grid-is-not-readable
# options: programs=2
"""The decorator makes another grid of what the function returns."""

import torch
import triton
import triton.language as tl


def twice(function):
    return lambda meta: (2 * function(meta)[0],)


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < 2 * n) + 1, mask=offs < 2 * n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel() // 2

    @twice
    def grid(meta):
        return (triton.cdiv(n, meta["BLOCK"]),)

    kernel[grid](x, out, n, BLOCK=64)
    return out
