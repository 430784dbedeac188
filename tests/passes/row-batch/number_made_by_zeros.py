"""A number begins as a tile of no axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, C, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    count = tl.zeros((), tl.int32)
    least = tl.full([], 1.0, tl.float32)
    for start in tl.range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        least = tl.minimum(least, tl.min(x, axis=0))
        count += tl.sum((x > 0.0).to(tl.int32), axis=0)
    tl.store(Y + row, least)
    tl.store(C + row, count)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    c = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, c, x.stride(0), n, BLOCK=16)
    return y, c
