"""A loop carries what reductions leave of the tile: an axis of one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([1], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        total += tl.sum(x * x, axis=0, keep_dims=True)
    tl.store(Y + row + tl.arange(0, 1), tl.sqrt(total))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    assert n <= 16
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y
