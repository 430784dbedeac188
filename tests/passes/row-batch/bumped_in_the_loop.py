# expect: missed rows-differ
"""A pointer that all rows share goes to the row in a loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    for turn in range(2):
        X += row * stride
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(x) + turn)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
