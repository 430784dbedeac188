"""A loop around the nest comes to each element again, in the lane that held it before."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, T, N, W, BLOCK: tl.constexpr):
    FLAT_BLOCK: tl.constexpr = 1024
    row = tl.program_id(0) * N * W
    for t in range(0, T, 2):
        for start in range(0, N * W, FLAT_BLOCK):
            place = start + tl.arange(0, FLAT_BLOCK)
            x = tl.load(X + row + place, mask=place < N * W, other=0.0)
            tl.store(X + row + place, x * 0.5 + 1.0, mask=place < N * W)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    kernel[(m,)](x, 3, n, w, BLOCK=16)
    return x
