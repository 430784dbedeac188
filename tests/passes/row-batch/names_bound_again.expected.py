"""Names that are bound again between a grid and its launch are other numbers there."""

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
def counted(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    grid = (m,)
    m = 7
    block = triton.next_power_of_2(n)
    num_rows = grid[0]
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(num_rows, rows),)](
        x, y, x.stride(0), n, num_rows, BLOCK=block, ROWS=rows
    )
    return y * m


# tritonopt: x: f32[m, n]
def by_a_function(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(2 * m, device=x.device)
    grid = lambda meta: (triton.cdiv(2 * m, meta["ROWS"]),)
    x = torch.cat([x, x])
    m = m // 2
    block = triton.next_power_of_2(n)
    y = torch.empty(2 * m, device=x.device)
    num_rows = 2 * m
    # A program takes about 512 elements, of several rows where these are short.
    kernel[grid](x, y, x.stride(0), n, num_rows, BLOCK=block, ROWS=max(512 // block, 1))
    return y


# tritonopt: x: f32[m, n]
def tiled(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = 16
    grid = (m, triton.cdiv(1, block))
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows), grid[1])](
        x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows
    )
    return y
