"""The loops count blocks, `range(tl.cdiv(N, BLOCK))`, and form the offset from the counter."""

import torch
import triton
import triton.language as tl


@triton.jit
def _row_moments(x_ptr, mean_ptr, m2_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_row = x_ptr + row * x_stride
    arange = tl.arange(0, BLOCK)

    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(tl.cdiv(N, BLOCK)):
        offs = i * BLOCK + arange
        acc += tl.load(x_row + offs, mask=offs < N, other=0.0).to(tl.float32)
    mean = tl.sum(acc, axis=0) / N

    m2 = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(tl.cdiv(N, BLOCK)):
        offs = i * BLOCK + arange
        mask = offs < N
        x = tl.load(x_row + offs, mask=mask, other=0.0).to(tl.float32)
        delta = tl.where(mask, x - mean, 0.0)
        m2 += delta * delta

    tl.store(mean_ptr + row, mean)
    tl.store(m2_ptr + row, tl.sum(m2, axis=0))


# tritonopt: x: f32[m, n]
def row_moments(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    m2 = torch.empty(m, device=x.device)
    _row_moments[(m,)](x, mean, m2, x.stride(0), n, BLOCK=64)
    return mean, m2
