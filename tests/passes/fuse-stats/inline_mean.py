"""The mean has no name: the second sweep forms `tl.sum(acc) / n` from the first sum in every
iteration, and the launcher wants the variance only."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        d = tl.where(cols < n, x - tl.sum(acc, axis=0) / n, 0.0)
        acc2 += d * d
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    var_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out
