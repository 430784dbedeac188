# options: programs=1,elements=64
"""Each launch divides its grid, whatever it is called, and says how many rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
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
    grid = lambda meta: (x.shape[0],)
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(
            1,
            min(64 // max(block, 1), triton.next_power_of_2(x.shape[0] + 1) // 2),
        )
        kernel_rows[lambda meta: (triton.cdiv(grid(meta)[0], rows_per_program),)](
            x, y, x.stride(0), n, BLOCK=block, num_rows=x.shape[0], ROWS=rows_per_program
        )
    else:
        kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y


# tritonopt: x: f32[b, m, n]
def sums_of_batches(x: torch.Tensor):
    b, m, n = x.shape
    x = x.contiguous()
    y = torch.empty(b, m, dtype=torch.float32, device=x.device)
    num_rows = b * m
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(num_rows + 1) // 2))
        kernel_rows[(triton.cdiv(num_rows, rows_per_program),)](
            x, y, x.stride(1), n, BLOCK=block, num_rows=num_rows, ROWS=rows_per_program
        )
    else:
        kernel[(num_rows,)](x, y, x.stride(1), n, BLOCK=block)
    return y
