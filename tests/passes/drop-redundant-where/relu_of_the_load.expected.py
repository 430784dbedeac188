"""A maximum, a minimum and a quotient of what is 0 there, and a tile of zeros as the other branch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    zeros = tl.zeros([BLOCK], dtype=tl.float32)
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    capped = tl.minimum(tl.maximum(x, 0.0), 6.0)
    leaky = tl.where(x > 0.0, x, 0.1 * x)
    scaled = capped / 6.0
    tl.store(OUT + row, tl.sum(scaled + leaky, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out
