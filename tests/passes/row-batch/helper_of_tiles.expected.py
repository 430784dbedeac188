# verify: always
# options: elements=64
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
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
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
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
