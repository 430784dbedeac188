# verify: always
"""The launch shows that no tensor of booleans is passed."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, x + 1, boundary_check=(0,))


def run(m: int):
    x = torch.arange(m, dtype=torch.int32)
    y = torch.empty(m, dtype=torch.int32)
    kernel[(triton.cdiv(m, 32),)](x, y, m, B=32)
    return y
