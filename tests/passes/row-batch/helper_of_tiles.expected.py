# verify: always
# options: programs=1,elements=64
"""A helper that computes lane by lane takes tiles of rows as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def silu(x, slope):
    y = x.to(tl.float32)
    y *= slope
    return y / (1.0 + tl.exp(-y))


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    gate = tl.load(X + row * stride + cols, mask=cols < N)
    up = tl.load(X + row * stride + N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, silu(gate, 1.5) * up, mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    gate = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N))
    up = tl.load(X + rows * stride + N + cols, mask=row_mask & (cols < N))
    tl.store(Y + rows * N + cols, silu(gate, 1.5) * up, mask=row_mask & (cols < N))


# tritonopt: x: f32[m, 2 * n]
def swiglu(x: torch.Tensor):
    m, n = x.shape[0], x.shape[1] // 2
    x = x.contiguous()
    y = torch.empty(m, n, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, x.stride(0), n, BLOCK=block, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, y, x.stride(0), n, BLOCK=block)
    return y
