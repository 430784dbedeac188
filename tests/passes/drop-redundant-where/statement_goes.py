"""`x = tl.where(mask, x, 0.0)` would become `x = x`, so it goes; the comment above it stays. The
load itself is wrapped in another, of which nothing is known but that fp32 is made of it."""

import torch
import triton.language as T
from triton import jit, next_power_of_2
from triton.language import constexpr


@jit
def kernel(x_ptr, w_ptr, out_ptr, n, BLOCK: constexpr):
    row = T.program_id(0)
    cols = T.arange(0, BLOCK)
    mask = cols < n
    x = T.load(x_ptr + row * n + cols, mask=mask, other=0.0).to(T.float32)
    # Lanes past the end do not count.
    x = T.where(mask, x, 0.0)
    w = T.where(mask, T.load(w_ptr + cols, mask=mask, other=0.0), 0.0).to(T.float32)
    T.store(out_ptr + row, T.sum(x, axis=0) + T.sum(w, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, w, out, n, BLOCK=next_power_of_2(n))
    return out
