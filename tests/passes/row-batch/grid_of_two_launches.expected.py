"""Two launches of one kernel share a tuple, which is divided once if they pass the same tile."""

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
    y, z = torch.empty(2, m, device=x.device)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    grid = (triton.cdiv(m, rows),)
    kernel[grid](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    kernel[grid](x, z, x.stride(0), n - 1, m, BLOCK=block, ROWS=rows)
    return y, z


# tritonopt: x: f32[m, n]
def with_two_tiles(x):
    x = x.contiguous()
    m, n = x.shape
    y, z = torch.empty(2, m, device=x.device)
    grid = (m,)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    # Rows are short: a program takes about 512 elements.
    rows = 256
    kernel[(triton.cdiv(m, rows),)](x, z, x.stride(0), 2, m, BLOCK=2, ROWS=rows)
    return y, z


# tritonopt: x: f32[m, n]
def with_a_function(x):
    x = x.contiguous()
    m, n = x.shape
    y, z = torch.empty(2, m, device=x.device)
    grid = lambda META: (triton.cdiv(m, META["ROWS"]),)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    kernel[grid](x, y, x.stride(0), n, m, BLOCK=block, ROWS=max(512 // block, 1))
    # Rows are short: a program takes about 512 elements.
    kernel[grid](x, z, x.stride(0), 2, m, BLOCK=2, ROWS=256)
    return y, z
