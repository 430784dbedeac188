"""The block size is a module constant and the kernel copies it into a constexpr local; the
correction of the count is another constant."""

import torch
import triton
import triton.language as tl

BLOCK_SIZE = tl.constexpr(64)
CORRECTION = tl.constexpr(1)


@triton.jit
def unbiased_var(x_ptr, out_ptr, n):
    BLOCK: tl.constexpr = BLOCK_SIZE
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = tl.sum(acc, axis=0) / n
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        d = tl.where(cols < n, x - mean, 0.0)
        acc2 += d * d
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / (n - CORRECTION))


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    unbiased_var[(x.shape[0],)](x, out, x.shape[1])
    return out
