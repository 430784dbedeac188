"""A tuple at the launch is divided there, by a number that the launcher names before it."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, stride, n_cols, n_rows, BLOCK: tl.constexpr, ROWS: tl.constexpr
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    tl.store(y_ptr + rows * stride + cols, e / tl.sum(e, axis=1, keep_dims=True), mask=mask)


# tritonopt: x: f32[m, n]
def softmax(x):
    x = x.contiguous()
    n_rows, n_cols = x.shape
    assert n_cols <= 256
    y = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(n_cols)
    # Rows are short: a program takes about 512 elements.
    ROWS = 512 // BLOCK
    softmax_kernel[(triton.cdiv(n_rows, ROWS),)](
        x, y, x.stride(0), n_cols, n_rows, BLOCK=BLOCK, ROWS=ROWS
    )
    return y
