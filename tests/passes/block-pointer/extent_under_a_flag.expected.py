"""Where the flag is off the extent is none, so the offsets stay below it, twice."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, n, HAS_Z: tl.constexpr, B: tl.constexpr, BZ: tl.constexpr):
    offs_n = tl.arange(0, B)
    x_block = X + offs_n
    x = tl.load(x_block, mask=offs_n < n, other=0.0)
    if HAS_Z:
        offs_n_2 = tl.arange(0, BZ)
        z_block = Z + offs_n_2
        x += tl.load(z_block, mask=offs_n_2 < n, other=0.0)
    x = x * 2
    if HAS_Z:
        offs_n_3 = tl.arange(0, BZ)
        again = Z + offs_n_3
        x += tl.load(again, mask=offs_n_3 < n, other=0.0)
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)


def run(x: torch.Tensor, z: torch.Tensor = None):
    n = x.numel()
    assert n <= 32 and (z is None or z.numel() == n)
    y = torch.empty_like(x)
    kernel[(1,)](x, z, y, n, HAS_Z=z is not None, B=32, BZ=32 if z is not None else None)
    return y
