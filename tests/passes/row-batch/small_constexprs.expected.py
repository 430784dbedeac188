"""Names of constexprs in small letters: so is the new one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, block: tl.constexpr, rows_per_program: tl.constexpr):
    rows = tl.program_id(0) * rows_per_program + tl.arange(0, rows_per_program)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, block)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows_per_program = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, m, block, rows_per_program
    )
    return y
