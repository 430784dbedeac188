# options: elements=64
"""Each launch divides its grid, whatever it is called, and says how many rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, num_rows, BLOCK: tl.constexpr, ROWS: tl.constexpr):
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
    grid = lambda meta: (triton.cdiv(x.shape[0], meta["ROWS"]),)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    kernel[grid](
        x, y, x.stride(0), n, x.shape[0], BLOCK=block, ROWS=max(64 // block, 1)
    )
    return y


# tritonopt: x: f32[b, m, n]
def sums_of_batches(x: torch.Tensor):
    b, m, n = x.shape
    x = x.contiguous()
    y = torch.empty(b, m, dtype=torch.float32, device=x.device)
    num_rows = b * m
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(num_rows, rows),)](
        x, y, x.stride(1), n, num_rows, BLOCK=block, ROWS=rows
    )
    return y
