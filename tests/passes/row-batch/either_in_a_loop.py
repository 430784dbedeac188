# expect: missed rows-differ
"""What a loop carries is one for each row before it, and in it, or in one place only."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, S, Y, stride, N, FIRST: tl.constexpr, OTHERS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if FIRST:
        scale = tl.load(S + row)
    else:
        scale = tl.load(S)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        total += tl.sum(x * scale)
        if OTHERS:
            scale = tl.load(S + row)
        else:
            scale = tl.load(S)
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n], s: f32[m]
def run(x: torch.Tensor, s: torch.Tensor):
    m, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, s, y, x.stride(0), n, FIRST=True, OTHERS=False, BLOCK=16)
    return y
