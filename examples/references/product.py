"""The product of a whole tensor, in two kernels: one for each tile, then for all tiles.

Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def product_of_tiles_kernel(x_ptr, products_ptr, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < N, other=1.0).to(tl.float32)
    tl.store(products_ptr + pid, tl.reduce(x, 0, multiply))


@triton.jit
def product_of_all_kernel(products_ptr, out_ptr, tiles, BLOCK: tl.constexpr):
    product = 1.0
    for start in range(0, tiles, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(products_ptr + offsets, mask=offsets < tiles, other=1.0)
        product *= tl.reduce(x, 0, multiply)
    tl.store(out_ptr, product)


# tritonopt: x: f32[n]
def product(x: torch.Tensor) -> torch.Tensor:
    """The product of all elements of a tensor, 1 of an empty one."""
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(max(n, 1), 1024)
    products = torch.empty(tiles, dtype=torch.float32, device=x.device)
    out = torch.empty(1, dtype=torch.float32, device=x.device)
    product_of_tiles_kernel[(tiles,)](x, products, n, BLOCK=1024)
    product_of_all_kernel[(1,)](products, out, tiles, BLOCK=1024)
    return out


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for n in (1, 100, 5000):
        x = 1 + torch.randn(n, device=device) / 100
        torch.testing.assert_close(product(x), x.prod(0, keepdim=True), rtol=1e-3, atol=1e-6)
    print(f"product agrees with torch on {device}")


if __name__ == "__main__":
    main()
