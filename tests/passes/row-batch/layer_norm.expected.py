# verify: always
# options: programs=1,elements=64
# verify: always
"""Pointers go to the row, weights are the same for all, two numbers of each row are stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    d = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(d * d) / N + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    w = tl.load(W + cols, mask=mask)
    b = tl.load(B + cols, mask=mask)
    tl.store(Y + cols, d * rstd * w + b, mask=mask)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(
    X,
    Y,
    W,
    B,
    Mean,
    Rstd,
    stride,
    N,
    eps,
    BLOCK: tl.constexpr,
    num_rows,
    ROWS: tl.constexpr = 1,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    X += rows * stride
    Y += rows * stride
    cols = tl.arange(0, BLOCK)[None, :]
    mask = cols < N
    x = tl.load(X + cols, mask=row_mask & mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=1, keep_dims=True) / N
    d = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(d * d, axis=1, keep_dims=True) / N + eps)
    tl.store(Mean + rows, mean, mask=row_mask)
    tl.store(Rstd + rows, rstd, mask=row_mask)
    w = tl.load(W + cols, mask=mask)
    b = tl.load(B + cols, mask=mask)
    tl.store(Y + cols, d * rstd * w + b, mask=row_mask & mask)


# tritonopt: x: f32[m, n], w: f32[n], b: f32[n]
def layer_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor):
    m, n = x.shape
    x, w, b = x.contiguous(), w.contiguous(), b.contiguous()
    y = torch.empty_like(x)
    mean, rstd = torch.empty(2, m, device=x.device)
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x,
            y,
            w,
            b,
            mean,
            rstd,
            x.stride(0),
            n,
            1e-5,
            BLOCK=block,
            num_rows=m,
            ROWS=rows_per_program,
        )
    else:
        kernel[(m,)](x, y, w, b, mean, rstd, x.stride(0), n, 1e-5, BLOCK=block)
    return y, mean, rstd
