# options: longest=16,block=16
"""The offsets are those of the row, and each other element is read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    place = row * N * 2 + 2 * tl.arange(0, BLOCK)
    x = tl.load(X + place, mask=lane < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(x, axis=0))


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    _x_sum = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        lane = start + tl.arange(0, BLOCK)
        place = row * N * 2 + 2 * (start + tl.arange(0, BLOCK))
        x = tl.load(X + place, mask=lane < N, other=0.0).to(tl.float32)
        _x_sum += x
    tl.store(Y + row, tl.sum(_x_sum, axis=0))


# tritonopt: x: f32[m, 2*k]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    if triton.next_power_of_2(n // 2) > 16:
        kernel_long[(m,)](x, y, n // 2, BLOCK=16)
    else:
        kernel[(m,)](x, y, n // 2, BLOCK=triton.next_power_of_2(n // 2))
    return y
