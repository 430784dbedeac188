# options: elements=64
"""Comments stay on their lines."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    """Each row without its sum."""

    # Of many.
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]  # the row
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(
        X + rows * stride + cols,  # where it is
        mask=row_mask & (cols < N),  # up to its end
        other=0.0,
    )
    y = (
        x  # what it is
        - tl.sum(x, axis=1, keep_dims=True)  # without what it comes to
    )
    # and back
    tl.store(Y + rows * stride + cols, y, mask=row_mask & (cols < N))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
