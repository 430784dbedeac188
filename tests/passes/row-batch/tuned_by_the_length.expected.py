"""A tuner chooses the warps: it chooses anew where a program has another number of rows."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({}, num_warps=warps) for warps in (1, 4)],
    key=[
        "N", "ROWS",  # how long a row is
    ],
)
@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)


def run(x: torch.Tensor):
    m, n = x.shape
    assert n <= 64
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(n)
    # Rows are short: a program takes about 512 elements.
    rows = 512 // block
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
