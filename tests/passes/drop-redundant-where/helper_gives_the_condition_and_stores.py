# expect: missed effect-inside
"""The helper that gives the condition stores before it does."""

import torch
import triton
import triton.language as tl


@triton.jit
def marked(mask, OUT):
    tl.store(OUT, 1.0)
    return mask


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(OUT + row * (N + 1) + 1 + cols, tl.where(marked(mask, OUT + row * (N + 1)), x * w, 0.0), mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, n + 1, device=x.device)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out
