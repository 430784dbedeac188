# expect: missed safety
"""The result is printed too, where its type shows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    z = tl.load(Z + cols, mask=mask, other=0.0)
    y = tl.where(mask, x * z, 0.0)
    tl.device_print("y", y)
    tl.store(Y + cols, y.to(tl.float32), mask=mask)


# tritonopt: x: f32[n], z: f32[n]
def run(x: torch.Tensor, z: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(1,)](x, z, y, n, BLOCK=triton.next_power_of_2(n))
    return y
