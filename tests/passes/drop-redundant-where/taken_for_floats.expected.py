# assume: N > 0
"""Nothing shows the type of the data; a float for `other=` says what the author takes it for."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0)
    w = tl.load(W + cols, mask=mask, other=0.0)
    value = x * w
    tl.store(OUT + row, tl.sum(value, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out
