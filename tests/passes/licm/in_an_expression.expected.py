# verify: no, name_used_elsewhere is verified, and has new names too
"""The load has no name of its own and gets one, from the parameter."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, weight_ptr, out_ptr, m, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    # Without iterations of the loop below, nothing is loaded.
    weight = tl.load(weight_ptr + cols, (cols < n) & (m > 0)).to(tl.float32)
    for row in range(m):
        x = tl.load(x_ptr + row * n + cols, mask=cols < n)
        x = x * weight
        tl.store(out_ptr + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(1,)](x, w, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out
