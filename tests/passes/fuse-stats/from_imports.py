# verify: only on a GPU, since the interpreter replaces functions in the module triton.language
"""Functions are imported one by one from `triton.language`, some under other names. What the new
statements need may not have been imported."""

import torch
from triton import jit
from triton.language import arange, constexpr, float32, load, program_id, store, where, zeros
from triton.language import sum as reduce_sum


@jit
def variance(x_ptr, out_ptr, n, BLOCK: constexpr):
    row = program_id(0)
    acc = zeros([BLOCK], dtype=float32)
    for start in range(0, n, BLOCK):
        cols = start + arange(0, BLOCK)
        acc += load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = reduce_sum(acc, axis=0) / n
    acc2 = zeros([BLOCK], dtype=float32)
    for start in range(0, n, BLOCK):
        cols = start + arange(0, BLOCK)
        x = load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        d = where(cols < n, x - mean, 0.0)
        acc2 += d * d
    store(out_ptr + row, reduce_sum(acc2, axis=0) / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    variance[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out
