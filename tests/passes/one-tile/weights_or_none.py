# verify: no, it was run once, and others like it run
"""The weights may be missing, which both sweeps ask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        if W is not None:
            w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        else:
            w = 1.0
        total += x * w
    shift = tl.sum(total, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        if W is not None:
            w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        else:
            w = 1.0
        tl.store(Y + cols, x * w - shift, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor = None):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, w, y, n, BLOCK=triton.next_power_of_2(n))
    return y
