"""The names that the one sweep would have are taken."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new_m_2 = tl.maximum(m, tl.max(x, axis=0))
        # So far all elements are -inf: -inf - -inf would be NaN.
        shift_2 = tl.where(new_m_2 == -float("inf"), 0.0, new_m_2)
        s = s * tl.exp(m - shift_2) + tl.sum(tl.exp(x - shift_2), axis=0)
        m = new_m_2
    new_m = m * 2.0
    shift = new_m + 1.0
    # The sum of a row of -inf only is NaN.
    s = tl.where((m == -float("inf")) & (N > 0), float("nan"), s)
    tl.store(Y + row, m + tl.log(s) + new_m + shift)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
