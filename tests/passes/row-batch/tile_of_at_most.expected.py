# options: programs=1
"""A tile that is seen to be short at most: no kernel is needed for longer ones."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    acc = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        acc += tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(acc, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    block = min(triton.next_power_of_2(n), 256)
    # A power of two, with which programs enough remain.
    rows_per_program = max(1, min(2048 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, BLOCK=block, num_rows=m, ROWS=rows_per_program
    )
    return y
