# options: programs=1,elements=64
"""A row is one of a head, by division; the parameters say how many rows there are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, S, Y, B, H, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    head = pid % H
    batch = pid // H
    scale = tl.load(S + head)
    cols = tl.arange(0, BLOCK)
    offsets = batch * H * N + head * N + cols
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    tl.store(Y + offsets, x * scale / tl.max(tl.abs(x)), mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, S, Y, B, H, N, BLOCK: tl.constexpr, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < B * H
    head = rows % H
    batch = rows // H
    scale = tl.load(S + head, mask=row_mask)
    cols = tl.arange(0, BLOCK)[None, :]
    offsets = batch * H * N + head * N + cols
    x = tl.load(X + offsets, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + offsets,
        x * scale / tl.max(tl.abs(x), axis=1, keep_dims=True),
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[b, h, n], s: f32[h]
def scaled(x: torch.Tensor, s: torch.Tensor):
    b, h, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty_like(x)
    num_rows = b * h
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(num_rows + 1) // 2))
        kernel_rows[(triton.cdiv(num_rows, rows_per_program),)](
            x, s, y, b, h, n, BLOCK=block, ROWS=rows_per_program
        )
    else:
        kernel[(num_rows,)](x, s, y, b, h, n, BLOCK=block)
    return y
