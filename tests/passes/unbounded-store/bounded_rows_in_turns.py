# expect: silent
"""Each program goes through rows so far apart as there are programs."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(132,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y
