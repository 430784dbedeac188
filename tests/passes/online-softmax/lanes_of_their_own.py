"""Each lane has a maximum and a sum of its own: nothing is reduced."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for row in range(M):
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, x)
    s = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(M):
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
        s += tl.exp(x - m)
    tl.store(Y + cols, m + tl.log(s), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(n, device=x.device)
    kernel[(triton.cdiv(n, 16),)](x, y, m, n, BLOCK=16)
    return y
