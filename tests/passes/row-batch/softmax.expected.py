# verify: always
# options: programs=1,elements=64
"""A softmax: the largest and the sum of a row become vectors."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    # Each program does its own part.
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)  # of one row


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    # Each program does its own part.
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < num_rows) & (cols < N)
    x = tl.load(X + rows * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    tl.store(
        Y + rows * stride + cols, e / tl.sum(e, axis=1, keep_dims=True), mask=mask
    )  # of one row


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, x.stride(0), n, BLOCK=block, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, y, x.stride(0), n, BLOCK=block)
    return y
