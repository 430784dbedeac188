"""Matrix product whose inner dimension is weighted by a gate, if the caller asks for it.

The flag is an argument of the launch, so the loop over the inner dimension asks for it in every
iteration, and the compiler does not pipeline the load under it. Without a GPU, run it with
TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def gated_matmul_kernel(
    a_ptr,
    b_ptr,
    gate_ptr,
    c_ptr,
    M,
    N,
    K,
    gated,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        a_mask = (rows[:, None] < M) & (inner[None, :] < K)
        b_mask = (inner[:, None] < K) & (cols[None, :] < N)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + inner[:, None] * N + cols[None, :], mask=b_mask, other=0.0)
        # The gate weighs the inner dimension.
        if gated > 0:
            gate = tl.load(gate_ptr + inner, mask=inner < K, other=0.0)
            a = a * gate[None, :]
        acc = tl.dot(a, b, acc)
    c_mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=c_mask)


# tritonopt: a: f32[m, k], b: f32[k, n], gate: f32[k], gated: int in 0..1
def gated_matmul(
    a: torch.Tensor, b: torch.Tensor, gate: torch.Tensor, gated: int = 1
) -> torch.Tensor:
    """`(a * gate) @ b`, or `a @ b` where `gated` is 0."""
    a, b, gate = a.contiguous(), b.contiguous(), gate.contiguous()
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, device=a.device, dtype=torch.float32)
    if c.numel() == 0:
        return c
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    gated_matmul_kernel[grid](a, b, gate, c, m, n, k, gated, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
    return c


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n, k in [(1, 1, 1), (33, 20, 70), (64, 64, 128)]:
        a = torch.randn(m, k, device=device)
        b = torch.randn(k, n, device=device)
        gate = torch.randn(k, device=device)
        for gated in (0, 1):
            expected = (a * gate if gated else a) @ b
            result = gated_matmul(a, b, gate, gated)
            torch.testing.assert_close(result, expected, rtol=2e-2, atol=5e-2)
    print(f"gated_matmul agrees with torch on {device}")


if __name__ == "__main__":
    main()
