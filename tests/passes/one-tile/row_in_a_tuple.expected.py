# options: raise_block=1024
# verify: always
"""The arguments are a tuple that is bound before; the tile is passed beside it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x_tile = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(x_tile.to(tl.float32), axis=0) / N
    tl.store(Y + row * N + cols, x_tile - mean, mask=cols < N)


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    assert n <= 1024
    x = x.contiguous()
    y = torch.empty_like(x)
    given = (x, y, n)
    kernel[(m,)](*given, BLOCK=triton.next_power_of_2(max(n, 16)))
    return y
