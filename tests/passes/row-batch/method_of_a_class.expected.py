# options: programs=1
"""A kernel that a launch calls by no name of its own has no other beside it: it does both."""

import torch
import triton
import triton.language as tl


class Sums:
    @triton.jit
    def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
        row_mask = rows < num_rows
        cols = tl.arange(0, BLOCK)[None, :]
        x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
        tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, n]
def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(n)
    # A power of two, with which programs enough remain.
    rows_per_program = (
        max(1, min(2048 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        if block <= 512
        else 1
    )
    Sums.kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, BLOCK=block, num_rows=m, ROWS=rows_per_program
    )
    return y
