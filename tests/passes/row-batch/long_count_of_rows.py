"""How many rows there are takes a long line; how long a tile is, is a number."""

import torch
import triton
import triton.language as tl


@triton.jit
def largest_kernel(X, Largest, N, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    offsets = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=-float("inf"))
    tl.store(Largest + part, tl.max(x, axis=0))


def largest_of_parts(x):
    number_of_elements = x.numel()
    largest = torch.empty(triton.cdiv(number_of_elements, 64), device=x.device)
    grid = lambda meta: (triton.cdiv(number_of_elements, meta["BLOCK"]),)
    largest_kernel[grid](x.contiguous(), largest, number_of_elements, BLOCK=64)
    return largest
