"""The name of the sum stands for something else before."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    s = tl.load(X)
    m = -float("inf")
    s_online = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new_m = tl.maximum(m, tl.max(x, axis=0))
        # So far all elements are -inf: -inf - -inf would be NaN.
        shift = tl.where(new_m == -float("inf"), 0.0, new_m)
        s_online = s_online * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new_m
    bias = s * 2.0
    # The sum of a row of -inf only is NaN.
    s = tl.where((m == -float("inf")) & (N > 0), float("nan"), s_online)
    tl.store(Y + row, m + tl.log(s) + bias)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    assert x.shape[1] > 0
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
