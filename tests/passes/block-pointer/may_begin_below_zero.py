"""The block begins one element before the tensor: a check asks on both sides."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    left = tl.make_block_ptr(X, (n,), (1,), (begin - 1,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (begin,), (B,), (0,))
    x = tl.load(left, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, x, boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
