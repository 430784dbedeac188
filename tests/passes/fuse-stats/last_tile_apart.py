# expect: missed already-done
"""One sweep: the loop over full tiles needs no mask, and the one after it takes the last tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, mean_ptr, var_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    count = tl.zeros([BLOCK], dtype=tl.int32)
    steps = tl.cdiv(n, BLOCK)
    for step in range(0, steps - 1):
        cols = step * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols).to(tl.float32)
        new_mean = mean + (x - mean) / (step + 1)
        squares = squares + (x - new_mean) * (x - mean)
        mean = new_mean
        count += 1
    for step in range(steps - 1, steps):
        cols = step * BLOCK + tl.arange(0, BLOCK)
        mask = cols < n
        x = tl.load(x_ptr + row * n + cols, mask=mask).to(tl.float32)
        new_mean = tl.where(mask, mean + (x - mean) / (step + 1), mean)
        squares = tl.where(mask, squares + (x - new_mean) * (x - mean), squares)
        mean = new_mean
        count += mask.to(tl.int32)
    whole = tl.sum(mean * count) / n
    var = tl.sum(squares + count * (mean - whole) * (mean - whole)) / n
    tl.store(mean_ptr + row, whole)
    tl.store(var_ptr + row, var)


def run(x: torch.Tensor):
    m, n = x.shape
    mean, var = x.new_empty(m), x.new_empty(m)
    kernel[(m,)](x, mean, var, n, BLOCK=16)
    return mean, var
