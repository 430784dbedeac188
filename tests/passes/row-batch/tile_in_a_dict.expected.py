# options: elements=64
# verify: always
"""How long a tile is stands in a dictionary, beside an option of the launch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
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
    meta = dict(BLOCK=triton.next_power_of_2(n), num_warps=4)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // meta["BLOCK"], 1)
    grid = (triton.cdiv(m, rows),)
    kernel[grid](x, y, x.stride(0), n, m, ROWS=rows, **meta)
    return y
