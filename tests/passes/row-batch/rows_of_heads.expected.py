# options: programs=1
"""A row is one of a head, by division; the parameters say how many rows there are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, S, Y, B, H, N, BLOCK: tl.constexpr, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < B * H
    head = rows % H
    batch = rows // H
    scale = tl.load(S + head, mask=row_mask)
    cols = tl.arange(0, BLOCK)
    offsets = batch[:, None] * H * N + head[:, None] * N + cols[None, :]
    x = tl.load(X + offsets, mask=row_mask[:, None] & (cols[None, :] < N), other=0.0)
    tl.store(
        Y + offsets,
        x * scale[:, None] / tl.max(tl.abs(x), axis=1)[:, None],
        mask=row_mask[:, None] & (cols[None, :] < N),
    )


# tritonopt: x: f32[b, h, n], s: f32[h]
def scaled(x: torch.Tensor, s: torch.Tensor):
    b, h, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty_like(x)
    num_rows = b * h
    # A power of two, with which programs enough remain.
    rows_per_program = (
        max(
            1,
            min(2048 // max(triton.next_power_of_2(n), 1), triton.next_power_of_2(num_rows + 1) // 2),
        )
        if triton.next_power_of_2(n) <= 512
        else 1
    )
    kernel[(triton.cdiv(num_rows, rows_per_program),)](
        x, s, y, b, h, n, BLOCK=triton.next_power_of_2(n), ROWS=rows_per_program
    )
    return y
