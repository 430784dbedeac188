# verify: always
# options: elements=64
"""Random numbers come from a seed for all and an offset of each lane."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, seed, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    offsets = rows * stride + cols
    keep = tl.rand(seed, offsets) > 0.5
    x = tl.load(X + offsets, mask=row_mask & (cols < N), other=0.0)
    x -= tl.max(x, axis=1, keep_dims=True)
    tl.store(Y + offsets, tl.where(keep, x * 2.0, 0.0), mask=row_mask & (cols < N))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, 7, m, BLOCK=block, ROWS=rows)
    return y
