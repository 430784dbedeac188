# verify: always
"""Whichever tensor is loaded, it is 0 past the end: a ternary, an `if`, and a nested `tl.where`."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, OUT, N, HAS_W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    if HAS_W:
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    else:
        w = x
    value = x * w
    gated = tl.where(cols > 3, x, w) * (w if HAS_W else x)
    tl.store(OUT + row, tl.sum(value, axis=0) - tl.sum(gated, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, w, out, n, HAS_W=True, BLOCK=triton.next_power_of_2(n))
    return out
