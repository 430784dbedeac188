# verify: always
# options: elements=64
# verify: always
"""Pointers go to the row, weights are the same for all, two numbers of each row are stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
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
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](
        x, y, w, b, mean, rstd, x.stride(0), n, 1e-5, m, BLOCK=block, ROWS=rows
    )
    return y, mean, rstd
