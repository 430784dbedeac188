"""The exponentials have a name of their own, and the second sweep counts something else."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        x = x * 2.0
        t += tl.sum(tl.where(x > 1.0, 1.0, 0.0), axis=0)
        new_m = tl.maximum(m, tl.max(x, axis=0))
        # So far all elements are -inf: -inf - -inf would be NaN.
        shift = tl.where(new_m == -float("inf"), 0.0, new_m)
        s = s * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new_m
    # The sum of a row of -inf only is NaN.
    s = tl.where((m == -float("inf")) & (N > 0), float("nan"), s)
    tl.store(Y + row, m + tl.log(s) + t)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
