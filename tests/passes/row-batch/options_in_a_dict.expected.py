# options: elements=64
"""All arguments are passed, so that a dictionary can hold options of the launch only."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + rows[:, None] * stride + cols[None, :],
        mask=row_mask[:, None] & (cols[None, :] < N),
        other=0.0,
    )
    tl.store(
        Y + rows[:, None] * stride + cols[None, :],
        x - tl.sum(x, axis=1)[:, None] / N,
        mask=row_mask[:, None] & (cols[None, :] < N),
    )


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    options = {}
    if x.device.type == "xpu":
        options["grf_mode"] = "large"
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](
        x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows, **options
    )
    return y
