"""Layer norm backward in two stages, without locks or atomics.

The first kernel does the input's gradient, a row to a program: one sweep for two sums over the
row, one for the result. The second one adds up the gradients of weight and bias: each program does
some columns of some rows, and leaves its part for torch to add.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

ROWS = 16
COLUMNS = 64


@triton.jit
def input_gradient_kernel(DX, DY, X, W, Mean, Rstd, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    DY += row * stride
    DX += row * stride
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)

    c1 = 0.0
    c2 = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        wdy = w * dy
        c1 += tl.sum((x - mean) * rstd * wdy, axis=0)
        c2 += tl.sum(wdy, axis=0)
    c1 /= N
    c2 /= N

    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        x_hat = (x - mean) * rstd
        dx = (w * dy - (x_hat * c1 + c2)) * rstd
        tl.store(DX + cols, dx.to(DX.dtype.element_ty), mask=mask)


@triton.jit
def weight_gradient_kernel(
    DW,  # for each part of the rows, N sums
    DB,
    DY,
    X,
    Mean,
    Rstd,
    stride,
    M,
    N,
    rows_per_part,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    cols = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    part = tl.program_id(1)
    dw = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    db = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    for start in range(0, rows_per_part, ROWS):
        rows = part * rows_per_part + start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        offsets = rows[:, None] * stride + cols[None, :]
        x = tl.load(X + offsets, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + offsets, mask=mask, other=0.0).to(tl.float32)
        mean = tl.load(Mean + rows, mask=rows < M, other=0.0)
        rstd = tl.load(Rstd + rows, mask=rows < M, other=0.0)
        dw += dy * (x - mean[:, None]) * rstd[:, None]
        db += dy
    tl.store(DW + part * N + cols, tl.sum(dw, axis=0), mask=cols < N)
    tl.store(DB + part * N + cols, tl.sum(db, axis=0), mask=cols < N)


# tritonopt: dy: f32[m, n], x: f32[m, n], weight: f32[n], mean: f32[m], rstd: f32[m]
def layer_norm_backward(
    dy: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients of layer norm for `x`, its weight and its bias, given those of its result."""
    dy, x, weight = dy.contiguous(), x.contiguous(), weight.contiguous()
    mean, rstd = mean.contiguous(), rstd.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    input_gradient_kernel[(m,)](dx, dy, x, weight, mean, rstd, x.stride(0), n, BLOCK=block)

    # Enough programs to fill a GPU, of whole tiles of rows.
    wanted = max(1024 // triton.cdiv(n, COLUMNS), 1)
    rows_per_part = triton.cdiv(triton.cdiv(m, wanted), ROWS) * ROWS
    parts = triton.cdiv(m, rows_per_part)
    dw = torch.empty((parts, n), dtype=torch.float32, device=x.device)
    db = torch.empty((parts, n), dtype=torch.float32, device=x.device)
    weight_gradient_kernel[(triton.cdiv(n, COLUMNS), parts)](
        dw, db, dy, x, mean, rstd, x.stride(0), m, n, rows_per_part, ROWS=ROWS, COLUMNS=COLUMNS
    )
    return dx, dw.sum(dim=0), db.sum(dim=0)


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (7, 1024), (20, 200)]:
        x = torch.randn(m, n, device=device, requires_grad=True)
        weight = torch.randn(n, device=device, requires_grad=True)
        bias = torch.randn(n, device=device, requires_grad=True)
        dy = torch.randn(m, n, device=device)
        torch.nn.functional.layer_norm(x, (n,), weight, bias, 1e-5).backward(dy)
        mean = x.detach().mean(dim=1)
        rstd = torch.rsqrt(x.detach().var(dim=1, correction=0) + 1e-5)
        found = layer_norm_backward(dy, x.detach(), weight.detach(), mean, rstd)
        for mine, theirs in zip(found, (x.grad, weight.grad, bias.grad), strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-3, atol=1e-4)
    print(f"layer_norm_backward agrees with torch on {device}")


if __name__ == "__main__":
    main()
