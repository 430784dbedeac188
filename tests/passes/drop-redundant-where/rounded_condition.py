# expect: missed different-mask
"""The same sum in another order is another number in floating point, so that the masks may differ."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, OUT, N, t, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    inside = (t + t) + 0.1 > cols
    x = tl.load(X + row * N + cols, mask=inside & mask, other=0.0)
    w = tl.load(W + cols, mask=inside & mask, other=0.0)
    value = tl.where(t + (t + 0.1) > cols, x * w, 0.0)
    tl.store(OUT + row * N + cols, value, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, 5.0, BLOCK=triton.next_power_of_2(n))
    return out
