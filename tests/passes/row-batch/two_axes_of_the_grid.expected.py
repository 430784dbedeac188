# options: programs=1,elements=64
"""The programs along another axis stay as they are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride_b, stride_h, N, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    head = tl.program_id(1)
    cols = tl.arange(0, BLOCK)
    offsets = batch * stride_b + head * stride_h + cols
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    tl.store(Y + offsets, x - tl.sum(x) / N, mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(
    X, Y, stride_b, stride_h, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
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
    grid = (b, h)
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(grid[0] + 1) // 2))
        kernel_rows[(triton.cdiv(grid[0], rows_per_program), *grid[1:])](
            x,
            y,
            x.stride(0),
            x.stride(1),
            n,
            BLOCK=block,
            num_rows=grid[0],
            ROWS=rows_per_program,
        )
    else:
        kernel[grid](x, y, x.stride(0), x.stride(1), n, BLOCK=block)
    return y
