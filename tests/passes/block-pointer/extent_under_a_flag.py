"""Where the flag is off the extent is none, so the offsets stay below it, twice."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, n, HAS_Z: tl.constexpr, B: tl.constexpr, BZ: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    if HAS_Z:
        z_block = tl.make_block_ptr(Z, (n,), (1,), (0,), (BZ,), (0,))
        x += tl.load(z_block, boundary_check=(0,), padding_option="zero")
    x = x * 2
    if HAS_Z:
        again = tl.make_block_ptr(Z, (n,), (1,), (0,), (BZ,), (0,))
        x += tl.load(again, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)


def run(x: torch.Tensor, z: torch.Tensor = None):
    n = x.numel()
    assert n <= 32 and (z is None or z.numel() == n)
    y = torch.empty_like(x)
    kernel[(1,)](x, z, y, n, HAS_Z=z is not None, B=32, BZ=32 if z is not None else None)
    return y
