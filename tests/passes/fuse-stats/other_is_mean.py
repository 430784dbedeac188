"""The second load fills its padding lanes with the mean, so that they deviate by nothing and no
`tl.where` is needed. The two loads differ in `other`, yet in nothing that counts."""

import torch
import triton
import triton.language as tl


@triton.jit
def std_kernel(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    ptr = x_ptr + row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        acc += tl.load(ptr + cols, mask=cols < N, other=0.0)
    mean = tl.sum(acc, axis=0) / N

    acc_sq = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        d = tl.load(ptr + cols, mask=cols < N, other=mean) - mean
        acc_sq += d * d
    tl.store(y_ptr + row, tl.sqrt(tl.sum(acc_sq, axis=0) / N))


# tritonopt: x: f32[m, n]
def std(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=x.dtype)
    std_kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
