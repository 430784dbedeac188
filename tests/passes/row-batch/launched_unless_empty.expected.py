"""Where a launcher may leave between grid and launch, nothing is divided before the launch."""

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
def by_a_tuple(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.zeros(m, device=x.device)
    block = triton.next_power_of_2(n)
    if n == 0:
        return y
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    grid = (triton.cdiv(m, rows),)
    kernel[grid](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y


# tritonopt: x: f32[m, n]
def by_a_function(x):
    x = x.contiguous()
    n = x.shape[-1]
    y = torch.zeros(x.shape[:-1], device=x.device)

    def grid(meta):
        return (triton.cdiv(x.numel() // n, meta["ROWS"]),)

    if n == 0:
        return y
    num_rows = x.numel() // n
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    kernel[grid](x, y, n, n, num_rows, BLOCK=block, ROWS=max(512 // block, 1))
    return y


# tritonopt: x: f32[m, n]
def under_a_test(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.zeros(m, device=x.device)
    block = triton.next_power_of_2(n)
    if n > 0:
        # A program takes about 512 elements, of several rows where these are short.
        rows = max(512 // block, 1)
        grid = (triton.cdiv(m, rows),)  # a program for each row
        kernel[grid](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
