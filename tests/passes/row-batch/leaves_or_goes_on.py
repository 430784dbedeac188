# expect: missed rows-differ
"""One way leaves, the other one stores."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if tl.load(W + row) < 0:
        return
    else:
        tl.store(Y + row * stride, 1.0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[m]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.zeros_like(x)
    kernel[(m,)](x, w, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y
