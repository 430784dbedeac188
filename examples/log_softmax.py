"""Logarithm of the softmax of each row in three sweeps: maximum, sum of exponentials, result.

Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * x_stride
    y_ptr += row * y_stride

    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))

    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)
    log_total = tl.log(total)

    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        y = x - largest - log_total
        tl.store(y_ptr + cols, y.to(y_ptr.dtype.element_ty), mask=cols < N)


# tritonopt: x: f32[m, n]
def log_softmax(x: torch.Tensor) -> torch.Tensor:
    """Logarithm of the softmax along the last dimension of a matrix."""
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    log_softmax_kernel[(m,)](x, y, x.stride(0), y.stride(0), n, BLOCK=block)
    return y


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (4, 1024), (3, 2500)]:
        x = torch.randn(m, n, device=device) * 10
        expected = torch.log_softmax(x, dim=1)
        torch.testing.assert_close(log_softmax(x), expected, rtol=1e-4, atol=1e-4)
    print(f"log_softmax agrees with torch on {device}")


if __name__ == "__main__":
    main()
