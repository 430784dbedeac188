# options: programs=2
"""A number of numpy's starts programs, but is no argument of a kernel."""

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n)
    tl.store(out + pid * n + cols, v + 1, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    rows = np.prod(x.shape[:-1])
    kernel[(
        rows
        + 0,
    )](x, out, n, BLOCK=triton.next_power_of_2(n))
    (kernel[((m + 0) * np.int64(1),)])(x, out, n, BLOCK=triton.next_power_of_2(n))
    return out
