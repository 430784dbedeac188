"""A new parameter without a default stands before those with one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, ROWS: tl.constexpr, scale=1.0, BLOCK: tl.constexpr = 16):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True) * scale, mask=row_mask)


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, rows, 1.0, block)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows),)](
        N=n, M=m, ROWS=rows, BLOCK=block, X=x, Y=y, stride=x.stride(0), num_warps=2
    )
    return y
