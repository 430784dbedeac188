# verify: always
# options: programs=1,elements=64
"""Each row adds to the place of its class; programs add at any time."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, K, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.load(K + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.atomic_add(Y + k * N + cols, x, mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, K, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    k = tl.load(K + rows, mask=row_mask)
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.atomic_add(Y + k * N + cols, x, mask=row_mask & (cols < N))


# tritonopt: x: f32[m, n], k: i32[m] in 0..3
def classes(x: torch.Tensor, k: torch.Tensor):
    m, n = x.shape
    x, k = x.contiguous(), k.contiguous()
    y = torch.zeros(4, n, dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, k, y, x.stride(0), n, BLOCK=block, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, k, y, x.stride(0), n, BLOCK=block)
    return y
