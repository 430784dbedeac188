# verify: always
"""Atomics and barriers run in the order they did: the condition is one and the same for the
program."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if flag > 0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            tl.debug_barrier()
            tl.atomic_add(Out + row, tl.sum(x, axis=0))
    else:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            tl.debug_barrier()
            tl.atomic_max(Out + row, tl.max(x, axis=0))


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.zeros(m, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
