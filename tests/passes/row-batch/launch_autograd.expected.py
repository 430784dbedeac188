# assume: BLOCK <= 256
# verify: always
"""An autograd function, sizes from a helper, an argument on each line, options after constexprs."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, n_cols, n_rows, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < n_rows
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(
        x_ptr + rows[:, None] * stride + cols[None, :],
        mask=row_mask[:, None] & mask[None, :],
        other=-float("inf"),
    )
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(
        y_ptr + rows[:, None] * stride + cols[None, :],
        e / tl.sum(e, axis=1)[:, None],
        mask=row_mask[:, None] & mask[None, :],
    )


def settings(n):
    block_size = triton.next_power_of_2(n)
    if block_size > 256:
        raise RuntimeError("rows of up to 256 elements")
    num_warps = 4 if block_size < 128 else 8
    return block_size, num_warps


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, X):
        X = X.contiguous()
        n_rows, n_cols = X.shape
        BLOCK_SIZE, num_warps = settings(n_cols)
        Y = torch.empty_like(X)
        # Rows are short: a program takes about 512 elements.
        ROWS = 512 // BLOCK_SIZE
        softmax_kernel[(triton.cdiv(n_rows, ROWS),)](
            X,
            Y,
            X.stride(0),
            n_cols,
            n_rows,
            BLOCK_SIZE,
            ROWS,
            num_warps=num_warps,
        )
        return Y


# tritonopt: x: f32[m, n]
def softmax(x):
    return Softmax.apply(x)
