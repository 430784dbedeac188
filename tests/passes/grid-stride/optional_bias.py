# verify: always
# options: programs=1
"""What a constexpr chooses, and no tile, is loaded before the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def bias_kernel(X, Y, B, M, N, HAS_BIAS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    inside = (rows < M) & (cols < N)
    x = tl.load(X + rows * N + cols, mask=inside, other=0.0)
    if HAS_BIAS:
        b = tl.load(B + cols, mask=cols < N, other=0.0)
    else:
        b = 0.0
    tl.store(Y + rows * N + cols, x + b, mask=inside)


# tritonopt: x: f32[m, n], bias: f32[n]
def add_bias(x: torch.Tensor, bias: torch.Tensor):
    x, bias = x.contiguous(), bias.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    bias_kernel[(triton.cdiv(m, 4),)](x, y, bias, m, n, True, ROWS=4, BLOCK=block)
    return y
