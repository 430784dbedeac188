# expect: missed memory-order
"""The barrier may be compiled, and orders what is read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, WAITS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            x += tl.load(B + cols, mask=mask, other=0.0)
        if WAITS:
            tl.debug_barrier()
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, b is not None, WAITS=False, BLOCK=triton.next_power_of_2(n))
    return out
