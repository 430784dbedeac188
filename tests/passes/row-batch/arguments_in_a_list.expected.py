"""A list that is written out is passed as it stands; what is new has a name."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, M, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + rows * stride + cols,
        x - tl.sum(x, axis=1, keep_dims=True) / N,
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    sizes = [x.stride(0), n]
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, *sizes, BLOCK=block, M=m, ROWS=rows)
    return y
