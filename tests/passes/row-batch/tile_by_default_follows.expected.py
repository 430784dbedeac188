# options: programs=1
"""The kernel itself says how long a tile is, and no launch does; rows are those of a matrix."""

import torch
import triton
import triton.language as tl


@triton.jit
def least_kernel(X, Y, stride, H, W, BLOCK: tl.constexpr = 1024):
    row = tl.program_id(0)
    acc = tl.full([BLOCK], float("inf"), dtype=tl.float32)
    for start in range(0, H * W, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < H * W, other=float("inf"))
        acc = tl.minimum(acc, x)
    tl.store(Y + row, tl.min(acc, axis=0))


# least_kernel for short rows, of which a program has several.
@triton.jit
def least_kernel_rows(
    X, Y, stride, H, W, BLOCK: tl.constexpr = 1024, num_rows=None, ROWS: tl.constexpr = 1
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    acc = tl.full([ROWS, BLOCK], float("inf"), dtype=tl.float32)
    for start in range(0, H * W, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(
            X + rows * stride + cols, mask=row_mask & (cols < H * W), other=float("inf")
        )
        acc = tl.minimum(acc, x)
    tl.store(Y + rows, tl.min(acc, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, h, w]
def least(x):
    m, h, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    if h * w <= 512:
        block = triton.next_power_of_2(max(h * w, 16))
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(2048 // block, triton.next_power_of_2(m + 1) // 2))
        least_kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, h * w, h, w, BLOCK=block, num_rows=m, ROWS=rows_per_program
        )
    else:
        least_kernel[(m,)](x, y, h * w, h, w)
    return y
