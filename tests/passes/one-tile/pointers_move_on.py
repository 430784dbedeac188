# verify: no, it was run once, and others like it run
"""The pointers are moved from tile to tile, and set anew for the second sweep."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x_ptrs = X + tl.program_id(0) * N + lanes
    y_ptrs = Y + tl.program_id(0) * N + lanes
    largest = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(0, tl.cdiv(N, BLOCK)):
        x = tl.load(x_ptrs, mask=lanes < N - k * BLOCK, other=0.0)
        largest = tl.maximum(largest, tl.abs(x))
        x_ptrs += BLOCK
    scale = tl.max(largest, axis=0) + 1.0
    x_ptrs = X + tl.program_id(0) * N + lanes
    for k in range(0, tl.cdiv(N, BLOCK)):
        x = tl.load(x_ptrs, mask=lanes < N - k * BLOCK, other=0.0)
        tl.store(y_ptrs, x / scale, mask=lanes < N - k * BLOCK)
        x_ptrs += BLOCK
        y_ptrs += BLOCK


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
