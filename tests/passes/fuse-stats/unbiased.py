# verify: always
"""The variance divides by N - 1 while the mean divides by N. What the second sweep gives is the
sum of squared deviations; what is done with it afterwards stays as written."""

import torch
import triton
import triton.language as tl


@triton.jit
def unbiased_std(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr = x_ptr + row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        x = tl.where(cols < N, x - mean, 0.0)
        sq += x * x
    tl.store(out_ptr + row, tl.sqrt(tl.sum(sq, axis=0) / (N - 1)))


# tritonopt: x: f32[m, n]
def std(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    unbiased_std[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out
