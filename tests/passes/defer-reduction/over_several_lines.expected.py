"""A reduction over several lines, with a comment in the tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    m = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.where(
            cols < N,
            x * x,  # of the whole row
            0.0,
        )
        m = tl.maximum(
            m, tl.where(cols < N, x, float("-inf"))
        )
    acc = tl.sum(acc, axis=0)
    m = tl.max(m, axis=0)
    tl.store(Y + row, acc + m)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
