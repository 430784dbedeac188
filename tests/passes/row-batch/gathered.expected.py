# verify: always
# options: programs=1,elements=64
"""Each row goes to where an index of its own says."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, I, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    index = tl.load(I + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + index * stride + cols, mask=cols < N)
    tl.store(Y + row * stride + cols, x, mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, I, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    index = tl.load(I + rows, mask=row_mask)
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + index * stride + cols, mask=row_mask & (cols < N))
    tl.store(Y + rows * stride + cols, x, mask=row_mask & (cols < N))


# tritonopt: x: f32[k, n], i: i64[m] in 0..k-1
def gather(x: torch.Tensor, i: torch.Tensor):
    n = x.shape[1]
    x, i = x.contiguous(), i.contiguous()
    y = torch.empty(i.shape[0], n, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(
            1,
            min(64 // max(block, 1), triton.next_power_of_2(i.shape[0] + 1) // 2),
        )
        kernel_rows[(triton.cdiv(i.shape[0], rows_per_program),)](
            x, i, y, x.stride(0), n, BLOCK=block, num_rows=i.shape[0], ROWS=rows_per_program
        )
    else:
        kernel[(i.shape[0],)](x, i, y, x.stride(0), n, BLOCK=block)
    return y
