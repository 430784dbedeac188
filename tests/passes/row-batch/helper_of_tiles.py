# verify: always
# options: elements=64
"""A helper that computes lane by lane takes tiles of rows as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def silu(x, slope):
    y = x.to(tl.float32)
    y *= slope
    return y / (1.0 + tl.exp(-y))


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    gate = tl.load(X + row * stride + cols, mask=cols < N)
    up = tl.load(X + row * stride + N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, silu(gate, 1.5) * up, mask=cols < N)


# tritonopt: x: f32[m, 2 * n]
def swiglu(x: torch.Tensor):
    m, n = x.shape[0], x.shape[1] // 2
    x = x.contiguous()
    y = torch.empty(m, n, dtype=x.dtype, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
