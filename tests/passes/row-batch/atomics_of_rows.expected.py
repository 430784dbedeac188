# verify: always
# options: elements=64
"""Each row adds to the place of its class; programs add at any time."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, K, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
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
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, k, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
