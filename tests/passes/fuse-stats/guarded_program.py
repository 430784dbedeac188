"""Programs past the last row return at once, before anything is read. A return that dominates
both sweeps is no early exit between them."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= M:
        return
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    var_kernel[(m + 3,)](x, out, m, n, BLOCK=64)
    return out
