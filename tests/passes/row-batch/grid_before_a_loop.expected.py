"""A grid is bound before a loop that launches: it is divided where the launch is."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(3, m, device=x.device)
    block = triton.next_power_of_2(n)
    for i in range(3):
        # A program takes about 512 elements, of several rows where these are short.
        rows = max(512 // block, 1)
        grid = (triton.cdiv(m, rows),)
        kernel[grid](x, y[i], x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y


# tritonopt: x: f32[m, n]
def growing(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(3, m, device=x.device)
    block = triton.next_power_of_2(n)
    for i in range(3):
        # A program takes about 512 elements, of several rows where these are short.
        rows = max(512 // block, 1)
        grid = (triton.cdiv(m, rows),)
        kernel[grid](x, y[i], x.stride(0), n, m, BLOCK=block, ROWS=rows)
        block = block * 2
    return y
