# verify: always
"""The other branch is -inf, and so is what the load has put there; the condition is negated."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf"))
    scores = tl.where(cols >= N, float("-inf"), x * 2.0 - 1.0)
    tl.store(OUT + row, tl.max(scores, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out
