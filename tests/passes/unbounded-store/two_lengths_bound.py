# expect: silent
"""Each of two tensors gives one length of the result, and both bound the store."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(A, B, C, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    a = tl.load(A + rows, mask=rows < M, other=0.0)
    b = tl.load(B + cols, mask=cols < N, other=0.0)
    tl.store(C + rows[:, None] * N + cols[None, :], a[:, None] * b[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N))


def launch(a, b):
    m, n = a.numel(), b.numel()
    c = torch.empty((m, n), device=a.device)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 32))](a, b, c, m, n, 16, 32)
    return c
