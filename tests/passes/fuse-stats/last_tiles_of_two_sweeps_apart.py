# expect: missed accumulator-is-read
"""Each sweep is a loop over full tiles and a last tile, which adds to what the loop summed."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, var_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    full = n // BLOCK * BLOCK
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, full, BLOCK):
        total += tl.load(x_ptr + row * n + start + tl.arange(0, BLOCK))
    cols = full + tl.arange(0, BLOCK)
    total += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = tl.sum(total) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, full, BLOCK):
        d = tl.load(x_ptr + row * n + start + tl.arange(0, BLOCK)) - mean
        squares += d * d
    d = tl.where(cols < n, tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0) - mean, 0.0)
    squares += d * d
    tl.store(var_ptr + row, tl.sum(squares) / n)


def run(x: torch.Tensor):
    m, n = x.shape
    var = x.new_empty(m)
    kernel[(m,)](x, var, n, BLOCK=16)
    return var
