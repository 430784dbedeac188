# expect: missed safety
"""A helper clamps a variance. The type of what it is called with is not known to it."""

import torch
import triton
import triton.language as tl


@triton.jit
def inverse_root(var, eps):
    var = tl.maximum(var, 0.0)
    return 1.0 / tl.sqrt(var + eps)


@triton.jit
def kernel(X, Y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    var = tl.sum(x * x, axis=0) / N - mean * mean
    tl.store(Y + row, inverse_root(var, eps))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, 1e-5, BLOCK=triton.next_power_of_2(n))
    return y
