"""Every question on the way is asked again, in its order."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, MODE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    if MODE != 0:
        if MODE == 1:
            # Without iterations of the loop below, nothing is loaded.
            b = tl.load(B + cols, mask=mask & (tl.program_id(0) < m), other=0.0)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if MODE == 0:
            x = -x
        elif MODE == 1:
            x += b
        else:
            x *= 2.0
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n], mode: 0|1|2
def run(x, b, mode):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, MODE=mode, BLOCK=triton.next_power_of_2(n))
    return out
