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
    # Sum and squares in one loop: sum (x - mean)^2 = sum x^2 - (sum x)^2 / n.
    squares = 0.0
    for n in range(N):
        for start in range(0, S, BLOCK):
            s = start + tl.arange(0, BLOCK)
            tile = tl.load(x_ptr + (n * C + c) * S + s, mask=s < S, other=0.0)
            total += tl.sum(tile)
            value = tile.to(tl.float32)
            squares += tl.sum(value * value, axis=0)
    mean = total / (N * S)
    squares = squares - total * (total / tl.maximum((N * S), 1))
    squares = tl.where(squares < 0.0, 0.0, squares)  # rounding may take it just below zero
    tl.store(out_ptr + c, squares / (N * S))


# tritonopt: x: f32[3, 2, s]
def var(x: torch.Tensor):
    n, c, s = x.shape
    x = x.contiguous()
    out = torch.empty(c, device=x.device)
    channel_var[(c,)](x, out, n, c, s, BLOCK=32)
    return out
