# verify: no, nest is verified, and is copied alike
"""The outer loop's own counter decides, so the branch moves out of the inner loop alone."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, m, n, flag, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), m, 2):
        low = tl.full([BLOCK], float("inf"), tl.float32)
        if row > flag:
            for start in range(0, n, BLOCK):
                x = tl.load(X + row * n + start + lanes, mask=start + lanes < n, other=float("inf"))
                low = tl.where(x < low, x, low)
        else:
            for start in range(0, n, BLOCK):
                x = tl.load(X + row * n + start + lanes, mask=start + lanes < n, other=float("inf"))
                low = tl.where(x < 0.0, 0.0, low)
        tl.store(Out + row * BLOCK + lanes, low)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.zeros(m, 16, device=x.device)
    kernel[(2,)](x, out, m, n, flag, BLOCK=16)
    return out
