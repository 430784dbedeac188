"""Layer norm, forward: three sweeps over each row, as most people first write it.

The first sweep adds up the row, the second its squared deviations from the mean,
the third normalizes. `tritonopt rewrite examples/layer_norm.py --passes fuse-stats`
merges the first two.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    X,  # the input, rows of N elements
    Y,  # the output, laid out as the input
    W,  # N weights
    B,  # N biases
    Mean,  # one mean for each row, for a backward pass
    Rstd,  # one reciprocal standard deviation for each row
    stride,  # from one row to the next, in elements
    N,
    eps,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride

    _mean = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        _mean += x
    mean = tl.sum(_mean, axis=0) / N

    _var = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        # Lanes past the end of the row hold 0, which would deviate by the whole mean.
        d = tl.where(cols < N, x - mean, 0.0)
        _var += d * d
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)

    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)

    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(B + cols, mask=mask, other=0.0).to(tl.float32)
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        y = (x - mean) * rstd * w + b
        tl.store(Y + cols, y.to(Y.dtype.element_ty), mask=mask)


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
    # Short rows fit one block; long rows are walked in blocks that leave room for many programs.
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    layer_norm_kernel[(m,)](x, y, weight, bias, mean, rstd, x.stride(0), n, eps, BLOCK=block)
    return y, mean, rstd


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (7, 1024), (3, 5000)]:
        x = torch.randn(m, n, device=device) * 3 + 10
        weight = torch.randn(n, device=device)
        bias = torch.randn(n, device=device)
        y, mean, rstd = layer_norm(x, weight, bias)
        expected = torch.nn.functional.layer_norm(x, (n,), weight, bias, 1e-5)
        torch.testing.assert_close(y, expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(mean, x.mean(dim=1), rtol=1e-4, atol=1e-4)
        deviation = torch.sqrt(x.var(dim=1, correction=0) + 1e-5)
        torch.testing.assert_close(rstd, 1 / deviation, rtol=1e-3, atol=1e-4)
    print(f"layer_norm agrees with torch on {device}")


if __name__ == "__main__":
    main()
