# options: elements=64
# verify: always
"""How long a row is, it says itself, in a mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, L, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    length = tl.load(L + rows, mask=row_mask)
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(
        X + rows * stride + cols,
        mask=row_mask & (cols < N) & (cols < length),
        other=0.0,
    )
    tl.store(
        Y + rows,
        tl.sum(x, axis=1, keep_dims=True) / tl.maximum(length, 1),
        mask=row_mask,
    )


# tritonopt: x: f32[m, n], l: i32[m] in 0..n
def means(x: torch.Tensor, l: torch.Tensor):
    m, n = x.shape
    x, l = x.contiguous(), l.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, l, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
