# options: programs=2
"""What is loaded may be what is stored, so the load stays with its tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def blend_kernel(X, W, stride, N, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        w = tl.load(W + cols, mask=cols < N)
        x = tl.load(X + row * stride + cols, mask=cols < N)
        tl.store(X + row * stride + cols, x + w, mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n]
def blend(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    assert x.is_contiguous() and w.is_contiguous()
    blend_kernel[(min(m, 2),)](
        x, w, x.stride(0), n, BLOCK=triton.next_power_of_2(n), NUM_TILES=m
    )
    return x
