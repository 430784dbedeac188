"""One number for each row: sum, maximum, index of the maximum, smallest magnitude, product.

Each kernel reduces a tile to a number in every turn of its loop, which makes the threads wait for
each other in every turn. Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + row, total)


@triton.jit
def row_max_kernel(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < N, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x.to(tl.float32), axis=0))
    tl.store(out_ptr + row, largest)


@triton.jit
def row_argmax_kernel(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = -float("inf")
    place = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < N, other=-float("inf"))
        tile_largest, tile_place = tl.max(x.to(tl.float32), axis=0, return_indices=True)
        # The first of equal ones stays: a later one must be larger.
        place = tl.where(tile_largest > largest, start + tile_place, place)
        largest = tl.maximum(largest, tile_largest)
    tl.store(out_ptr + row, place)


@triton.jit
def row_abs_min_kernel(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    smallest = float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < N, other=float("inf"))
        smallest = tl.minimum(smallest, tl.min(tl.abs(x.to(tl.float32)), axis=0))
    tl.store(out_ptr + row, smallest)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def row_product_kernel(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    product = 1.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < N, other=1.0).to(tl.float32)
        product *= tl.reduce(x, 0, multiply)
    tl.store(out_ptr + row, product)


# tritonopt: x: f32[m, n]
def row_sum(x: torch.Tensor) -> torch.Tensor:
    """The sum of each row of a matrix."""
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    row_sum_kernel[(m,)](x, out, x.stride(0), n, BLOCK=block)
    return out


# tritonopt: x: f32[m, n]
def row_max(x: torch.Tensor) -> torch.Tensor:
    """The largest element of each row of a matrix."""
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    row_max_kernel[(m,)](x, out, x.stride(0), n, BLOCK=block)
    return out


# tritonopt: x: f32[m, n]
def row_argmax(x: torch.Tensor) -> torch.Tensor:
    """Where the largest element of each row stands; the first of equal ones."""
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, dtype=torch.int64, device=x.device)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    row_argmax_kernel[(m,)](x, out, x.stride(0), n, BLOCK=block)
    return out


# tritonopt: x: f32[m, n]
def row_abs_min(x: torch.Tensor) -> torch.Tensor:
    """The smallest magnitude in each row of a matrix."""
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    row_abs_min_kernel[(m,)](x, out, x.stride(0), n, BLOCK=block)
    return out


# tritonopt: x: f32[m, n]
def row_product(x: torch.Tensor) -> torch.Tensor:
    """The product of each row of a matrix."""
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    row_product_kernel[(m,)](x, out, x.stride(0), n, BLOCK=block)
    return out


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (4, 1024), (3, 2500)]:
        x = torch.randn(m, n, device=device)
        torch.testing.assert_close(row_sum(x), x.sum(dim=1), rtol=1e-4, atol=1e-3)
        torch.testing.assert_close(row_max(x), x.amax(dim=1))
        torch.testing.assert_close(row_argmax(x), x.argmax(dim=1))
        torch.testing.assert_close(row_abs_min(x), x.abs().amin(dim=1))
        # Factors near one, for a product of thousands of others is zero or infinite.
        near_one = 1 + x / 100
        torch.testing.assert_close(
            row_product(near_one), near_one.prod(dim=1), rtol=1e-3, atol=1e-6
        )
    print(f"row_reductions agree with torch on {device}")


if __name__ == "__main__":
    main()
