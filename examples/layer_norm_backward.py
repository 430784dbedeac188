"""Layer norm backward, a row to a program: every row adds its part of dw and db atomically.

All rows add to the same addresses, so `grid-stride` with a few programs for every
multiprocessor lets each program sum its rows in registers and add once.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_backward_kernel(DX, DY, DW, DB, X, W, Mean, Rstd, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    DY += row * stride
    DX += row * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)

    x_hat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = w * dy
    c1 = tl.sum(x_hat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    dx = (wdy - (x_hat * c1 + c2)) * rstd
    tl.store(DX + cols, dx.to(DX.dtype.element_ty), mask=mask)

    tl.atomic_add(DW + cols, dy * x_hat, mask=mask)
    tl.atomic_add(DB + cols, dy, mask=mask)


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
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    db = torch.zeros(n, dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(n)
    layer_norm_backward_kernel[(m,)](
        dx, dy, dw, db, x, weight, mean, rstd, x.stride(0), n, BLOCK=block,
        num_warps=min(max(block // 256, 1), 16),
    )  # fmt: skip
    return dx, dw, db


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (7, 1024)]:
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
