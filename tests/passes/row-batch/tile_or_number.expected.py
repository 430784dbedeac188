"""A tile of weights that all rows share, or a number: both meet the tile of a row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, N, HAS_W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    if HAS_W:
        w = tl.load(W + cols, mask=cols < N, other=0.0)
    else:
        w = 1.0
    tl.store(Y + row * stride + cols, x * w - tl.sum(x), mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(
    X,
    W,
    Y,
    stride,
    N,
    HAS_W: tl.constexpr,
    BLOCK: tl.constexpr,
    num_rows,
    ROWS: tl.constexpr = 1,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    if HAS_W:
        w = tl.load(W + cols, mask=cols < N, other=0.0)
    else:
        w = 1.0
    tl.store(
        Y + rows * stride + cols,
        x * w - tl.sum(x, axis=1, keep_dims=True),
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    if block <= 512:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(2048 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x,
            w,
            y,
            x.stride(0),
            n,
            HAS_W=m > 1,
            BLOCK=block,
            num_rows=m,
            ROWS=rows_per_program,
        )
    else:
        kernel[(m,)](x, w, y, x.stride(0), n, HAS_W=m > 1, BLOCK=block)
    return y
