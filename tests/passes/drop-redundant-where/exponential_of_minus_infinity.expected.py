"""exp(-inf) is 0, and the sum of exponentials needs no mask of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - 1.0)
    tl.store(OUT + row, tl.sum(numerator, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out
