# expect: missed dot-in-the-loop
"""The `num_stages` of the launch pipelines these loads."""

import torch
import triton
import triton.language as tl


@triton.jit
def gram(X, Y, N, BLOCK: tl.constexpr):
    rows = tl.arange(0, 16)
    total = tl.zeros([16, 16], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=cols[None, :] < N, other=0.0)
        total = tl.dot(x, tl.trans(x), total)
    tl.store(Y + rows[:, None] * 16 + rows[None, :], total)


# tritonopt: x: f32[16, n]
def grams(x: torch.Tensor):
    y = torch.empty((16, 16), dtype=torch.float32, device=x.device)
    gram[(1,)](x.contiguous(), y, x.shape[1], BLOCK=64)
    return y
