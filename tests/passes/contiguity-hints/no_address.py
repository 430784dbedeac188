# expect: missed not-shown
"""The wrapped offsets are stored, and nothing is loaded with them."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Y, M, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    rows = (pid * BLOCK + tl.arange(0, BLOCK)) % M
    tl.store(Y + pid * BLOCK + tl.arange(0, BLOCK), rows)


def launch(m: int):
    m = 128 * m
    y = torch.empty((m,), dtype=torch.int32)
    kernel[(m // 128,)](y, m, BLOCK=128)
    return y
