# verify: no, the interpreter finds no functions under other names, and only it tells which lines ran
"""Other names for the language and its functions, and methods."""

import torch
import triton
from triton import language as core
from triton.language import maximum as largest

exponential = core.exp


@triton.jit
def kernel(X, Y, N, BLOCK: core.constexpr):
    row = core.program_id(0)
    m = float("-inf")
    s = 0.0
    for start in range(0, core.cdiv(N, BLOCK)):
        cols = start * BLOCK + core.arange(0, BLOCK)
        x = core.load(X + row * N + cols, cols < N, float("-inf"))
        new_m = largest(m, x.max(0))
        # So far all elements are -inf: -inf - -inf would be NaN.
        shift = core.where(new_m == float("-inf"), 0.0, new_m)
        s = s * exponential(m - shift) + core.sum(exponential(x - shift), axis=0)
        m = new_m
    # The sum of a row of -inf only is NaN.
    s = core.where((m == float("-inf")) & (N > 0), float("nan"), s)
    core.store(Y + row, m + core.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
