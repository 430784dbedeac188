# verify: counterexample, it loses digits when the mean is large
# options: formula=moments
"""The textbook formula with scalar accumulators in nested loops."""

import torch
import triton
import triton.language as tl


@triton.jit
def channel_var(x_ptr, out_ptr, N, C, S, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = 0.0
    for n in range(N):
        for start in range(0, S, BLOCK):
            s = start + tl.arange(0, BLOCK)
            total += tl.sum(tl.load(x_ptr + (n * C + c) * S + s, mask=s < S, other=0.0))
    mean = total / (N * S)
    squares = 0.0
    for n in range(N):
        for start in range(0, S, BLOCK):
            s = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + (n * C + c) * S + s, mask=s < S, other=0.0)
            d = tl.where(s < S, x - mean, 0.0)
            squares += tl.sum(d * d)
    tl.store(out_ptr + c, squares / (N * S))


# tritonopt: x: f32[3, 2, s]
def var(x: torch.Tensor):
    n, c, s = x.shape
    x = x.contiguous()
    out = torch.empty(c, device=x.device)
    channel_var[(c,)](x, out, n, c, s, BLOCK=32)
    return out
