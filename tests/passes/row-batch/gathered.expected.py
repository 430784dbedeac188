# verify: always
# options: elements=64
"""Each row goes to where an index of its own says."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, I, Y, stride, N, num_rows, BLOCK: tl.constexpr, ROWS: tl.constexpr):
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
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(i.shape[0], rows),)](
        x, i, y, x.stride(0), n, i.shape[0], BLOCK=block, ROWS=rows
    )
    return y
