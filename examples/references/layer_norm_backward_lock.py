"""Layer norm backward in two kernels: a row to a program, and locks around the sums over rows.

Rows that share a group add their part of dw and db to one buffer, one after the other, under a
lock; the second kernel adds up the buffers. Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def input_gradient_kernel(
    DX,
    DY,
    DW,
    DB,
    X,
    W,
    Mean,
    Rstd,
    Lock,  # a lock for each group, then for each group whether its sums were begun
    stride,
    N,
    GROUPS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)

    x_hat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = w * dy
    c1 = tl.sum(x_hat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    dx = (wdy - (x_hat * c1 + c2)) * rstd
    tl.store(DX + row * stride + cols, dx.to(DX.dtype.element_ty), mask=mask)

    group = row % GROUPS
    dw = dy * x_hat
    db = dy
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        dw += tl.load(DW + group * N + cols, mask=mask)
        db += tl.load(DB + group * N + cols, mask=mask)
    tl.store(DW + group * N + cols, dw, mask=mask)
    tl.store(DB + group * N + cols, db, mask=mask)
    # The next program of the group must see what every thread has stored.
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group, 0)


@triton.jit
def weight_gradient_kernel(
    DW, DB, Final_DW, Final_DB, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    cols = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    dw = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    db = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        offsets = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + offsets, mask=mask, other=0.0)
        db += tl.load(DB + offsets, mask=mask, other=0.0)
    tl.store(Final_DW + cols, tl.sum(dw, axis=0), mask=cols < N)
    tl.store(Final_DB + cols, tl.sum(db, axis=0), mask=cols < N)


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
    groups = 256 if n <= 1024 else 128 if n <= 4096 else 96
    dx = torch.empty_like(x)
    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    dw_sums = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
    db_sums = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
    dw = torch.empty(n, dtype=torch.float32, device=x.device)
    db = torch.empty(n, dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(n)
    input_gradient_kernel[(m,)](
        dx, dy, dw_sums, db_sums, x, weight, mean, rstd, locks, x.stride(0), n,
        GROUPS=groups, BLOCK=block, num_warps=min(max(block // 256, 1), 16),
    )  # fmt: skip
    weight_gradient_kernel[(triton.cdiv(n, 128),)](
        dw_sums, db_sums, dw, db, groups, n, ROWS=32, COLUMNS=128
    )
    return dx, dw, db


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (100, 4100)]:
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
    print(f"layer_norm_backward with locks agrees with torch on {device}")


if __name__ == "__main__":
    main()
