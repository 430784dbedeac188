"""Layer norm backward for rows of any length: loops over tiles of a row, and of a column.

The first kernel does the input's gradient, a row to a program. The second one sums up the gradients
of weight and bias, some columns to a program, which goes through all rows.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def input_gradient_kernel(DX, DY, X, W, Mean, Rstd, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)

    of_x_hat = tl.zeros([BLOCK], dtype=tl.float32)
    of_one = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        of_x_hat += (x - mean) * rstd * w * dy
        of_one += w * dy
    c1 = tl.sum(of_x_hat, axis=0) / N
    c2 = tl.sum(of_one, axis=0) / N

    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        dx = (w * dy - ((x - mean) * rstd * c1 + c2)) * rstd
        tl.store(DX + row * stride + cols, dx.to(DX.dtype.element_ty), mask=mask)


@triton.jit
def weight_gradient_kernel(
    DW, DB, DY, X, Mean, Rstd, stride, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    cols = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    dw = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    db = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        offsets = rows[:, None] * stride + cols[None, :]
        x = tl.load(X + offsets, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + offsets, mask=mask, other=0.0).to(tl.float32)
        mean = tl.load(Mean + rows, mask=rows < M, other=0.0)
        rstd = tl.load(Rstd + rows, mask=rows < M, other=0.0)
        dw += dy * (x - mean[:, None]) * rstd[:, None]
        db += dy
    tl.store(DW + cols, tl.sum(dw, axis=0), mask=cols < N)
    tl.store(DB + cols, tl.sum(db, axis=0), mask=cols < N)


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
    dw = torch.empty(n, dtype=torch.float32, device=x.device)
    db = torch.empty(n, dtype=torch.float32, device=x.device)
    input_gradient_kernel[(m,)](dx, dy, x, weight, mean, rstd, x.stride(0), n, BLOCK=1024)
    weight_gradient_kernel[(triton.cdiv(n, 64),)](
        dw, db, dy, x, mean, rstd, x.stride(0), m, n, ROWS=32, COLUMNS=64
    )
    return dx, dw, db


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (40, 1030)]:
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
    print(f"layer_norm_backward of long rows agrees with torch on {device}")


if __name__ == "__main__":
    main()
