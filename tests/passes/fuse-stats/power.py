# verify: no, tensors of Triton up to 3.9 have no `**` operator
"""The square is written `d ** 2`, as some sketches and older kernels do."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_var(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = tl.sum(acc, axis=0) / n
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        acc2 += tl.where(cols < n, x - mean, 0.0) ** 2
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    row_var[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out
