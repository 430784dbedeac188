"""Variance and mean of each row, several rows to a program, as `torch.var_mean` gives them.

The tiles are two-dimensional, `[ROWS, BLOCK]`, so short rows still fill a program.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def var_mean_kernel(
    x_ptr,
    var_ptr,
    mean_ptr,
    M,
    N,
    stride,
    correction,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < M
    row_ptrs = x_ptr + rows[:, None] * stride

    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = row_mask[:, None] & (cols < N)[None, :]
        x = tl.load(row_ptrs + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=1) / N

    squares = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = row_mask[:, None] & (cols < N)[None, :]
        x = tl.load(row_ptrs + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        d = tl.where(mask, x - mean[:, None], 0.0)
        squares += d * d
    var = tl.sum(squares, axis=1) / (N - correction)

    tl.store(mean_ptr + rows, mean, mask=row_mask)
    tl.store(var_ptr + rows, var, mask=row_mask)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor, correction: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    """The variance, divided by n - correction, and the mean of each row of `x`."""
    m, n = x.shape
    x = x.contiguous()
    var = torch.empty(m, dtype=torch.float32, device=x.device)
    mean = torch.empty(m, dtype=torch.float32, device=x.device)
    rows = 4
    block = min(512, triton.next_power_of_2(max(n, 16)))
    var_mean_kernel[(triton.cdiv(m, rows),)](
        x, var, mean, m, n, x.stride(0), correction, ROWS=rows, BLOCK=block
    )
    return var, mean


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 2), (5, 100), (9, 512), (3, 1500)]:
        x = torch.randn(m, n, device=device) * 2 + 100
        for correction in (0, 1):
            var, mean = var_mean(x, correction)
            expected_var, expected_mean = torch.var_mean(x, dim=1, correction=correction)
            torch.testing.assert_close(var, expected_var, rtol=1e-3, atol=1e-4)
            torch.testing.assert_close(mean, expected_mean, rtol=1e-5, atol=1e-4)
    print(f"var_mean agrees with torch on {device}")


if __name__ == "__main__":
    main()
