# verify: always
# options: programs=1,apart=false
"""Branches that are the same for all rows stay."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    W,
    Y,
    stride,
    N,
    scale,
    HAS_W: tl.constexpr,
    BLOCK: tl.constexpr,
    num_rows,
    ROWS: tl.constexpr = 1,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    if N == 0:
        return
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    if HAS_W:
        w = tl.load(W + cols, mask=cols < N, other=1.0)
        x = x * w
    if scale > 1:
        x = x / tl.sum(x * x, axis=1, keep_dims=True)
    else:
        x = -x
    tl.store(Y + rows * stride + cols, x, mask=row_mask & (cols < N))


# tritonopt: x: f32[m, n], w: f32[n], scale: int in 0..3
def run(x: torch.Tensor, w: torch.Tensor, scale: int):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A power of two, with which programs enough remain.
    rows_per_program = (
        max(1, min(2048 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        if block <= 512
        else 1
    )
    kernel[(triton.cdiv(m, rows_per_program),)](
        x,
        w,
        y,
        x.stride(0),
        n,
        scale,
        HAS_W=True,
        BLOCK=block,
        num_rows=m,
        ROWS=rows_per_program,
    )
    return y
