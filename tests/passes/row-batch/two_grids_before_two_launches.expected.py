"""Each launch passes its own number, though both are bound before both launches."""

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


# tritonopt: x: f32[m, n], z: f32[k, l]
def run(x, z):
    x, z = x.contiguous(), z.contiguous()
    m, n = x.shape
    k, l = z.shape
    y, w = torch.empty(m, device=x.device), torch.empty(k, device=x.device)
    one, other = triton.next_power_of_2(n), triton.next_power_of_2(l)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // one, 1)
    first_grid = (triton.cdiv(m, rows),)
    # A program takes about 512 elements, of several rows where these are short.
    rows_per_program = max(512 // other, 1)
    second_grid = (triton.cdiv(k, rows_per_program),)
    kernel[first_grid](x, y, x.stride(0), n, m, BLOCK=one, ROWS=rows)
    kernel[second_grid](z, w, z.stride(0), l, k, BLOCK=other, ROWS=rows_per_program)
    return y, w
