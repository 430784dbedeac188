"""The smallest magnitude of a whole tensor, in two kernels: one for each tile, then for all tiles.

Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl


@triton.jit
def least_of_tiles_kernel(x_ptr, least_ptr, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < N, other=float("inf")).to(tl.float32)
    tl.store(least_ptr + pid, tl.min(tl.abs(x), axis=0))


@triton.jit
def least_of_all_kernel(least_ptr, out_ptr, tiles, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    least = tl.load(least_ptr + offsets, mask=offsets < tiles, other=float("inf"))
    tl.store(out_ptr, tl.min(least, axis=0))


# tritonopt: x: f32[n]
def least_magnitude(x: torch.Tensor) -> torch.Tensor:
    """The smallest magnitude of a tensor, infinite of an empty one."""
    x = x.contiguous()
    n = x.numel()
    # As many tiles as a tile has elements.
    block = triton.next_power_of_2(math.ceil(math.sqrt(max(n, 1))))
    tiles = triton.cdiv(max(n, 1), block)
    least = torch.empty(tiles, dtype=torch.float32, device=x.device)
    out = torch.empty(1, dtype=torch.float32, device=x.device)
    least_of_tiles_kernel[(tiles,)](x, least, n, BLOCK=block)
    least_of_all_kernel[(1,)](least, out, tiles, BLOCK=triton.next_power_of_2(tiles))
    return out


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for n in (1, 100, 5000):
        x = torch.randn(n, device=device) + 1
        torch.testing.assert_close(least_magnitude(x), x.abs().amin(0, keepdim=True))
    print(f"least_magnitude agrees with torch on {device}")


if __name__ == "__main__":
    main()
