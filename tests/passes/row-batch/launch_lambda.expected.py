"""A lambda of the arguments reads the number that the launch passes; a tile is named once."""

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
    if n_cols > 256:
        raise ValueError("rows of up to 256 elements")
    y = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(n_rows, meta["ROWS"]),)
    block = triton.next_power_of_2(n_cols)
    # Rows are short: a program takes about 512 elements.
    softmax_kernel[grid](x, y, x.stride(0), n_cols, n_rows, BLOCK=block, ROWS=512 // block)
    return y
