"""A number that a launch passes is the number of its rows, by whatever its grid is written."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    length = 1 * n
    grid = lambda meta: (triton.cdiv(triton.cdiv(m * n, length), meta["ROWS"]),)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    kernel[grid](x, y, x.stride(0), m, n, block, max(512 // block, 1))
    return y


# tritonopt: x: f32[m, n]
def by_its_shape(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(x.shape[0], rows),)](x, y, x.stride(0), m, n, block, rows)
    return y
