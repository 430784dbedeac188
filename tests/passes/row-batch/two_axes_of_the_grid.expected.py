# options: elements=64
"""The programs along another axis stay as they are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride_b, stride_h, N, B, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < B
    head = tl.program_id(1)
    cols = tl.arange(0, BLOCK)[None, :]
    offsets = rows * stride_b + head * stride_h + cols
    x = tl.load(X + offsets, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + offsets,
        x - tl.sum(x, axis=1, keep_dims=True) / N,
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[b, h, n]
def center(x: torch.Tensor):
    b, h, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    grid = (triton.cdiv(b, rows), h)
    kernel[grid](x, y, x.stride(0), x.stride(1), n, b, BLOCK=block, ROWS=rows)
    return y
