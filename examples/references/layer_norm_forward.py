"""Layer norm, forward, with a tile that holds the whole row: three loops of one turn each.

Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride

    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N

    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)

    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)

    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        w = tl.load(W + cols, mask=cols < N, other=0.0)
        b = tl.load(B + cols, mask=cols < N, other=0.0)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        y = (x - mean) * rstd * w + b
        tl.store(Y + cols, y.to(Y.dtype.element_ty), mask=cols < N)


# tritonopt: x: f32[m, n], weight: f32[n], bias: f32[n]
def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Normalize each row of `x`; also give the means and reciprocal deviations."""
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    mean = torch.empty(m, dtype=torch.float32, device=x.device)
    rstd = torch.empty(m, dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(n)
    if block * x.element_size() > 65536:
        raise ValueError("a row has at most 64 KB")
    layer_norm_kernel[(m,)](
        x, y, weight, bias, mean, rstd, x.stride(0), n, eps,
        BLOCK=block, num_warps=min(max(block // 256, 1), 8),
    )  # fmt: skip
    return y, mean, rstd


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (7, 1024)]:
        x = torch.randn(m, n, device=device) * 3 + 10
        weight = torch.randn(n, device=device)
        bias = torch.randn(n, device=device)
        y, mean, _ = layer_norm(x, weight, bias)
        expected = torch.nn.functional.layer_norm(x, (n,), weight, bias, 1e-5)
        torch.testing.assert_close(y, expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(mean, x.mean(dim=1), rtol=1e-4, atol=1e-4)
    print(f"layer_norm in one tile agrees with torch on {device}")


if __name__ == "__main__":
    main()
