# options: programs=2
"""The sums may be what the rows are read from, so the atomic stays in the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def accumulate_kernel(X, Total, stride, N, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.atomic_add(Total + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n], total: f32[n]
def accumulate(x: torch.Tensor, total: torch.Tensor):
    m, n = x.shape
    assert x.is_contiguous() and total.is_contiguous()
    accumulate_kernel[(min(m, 2),)](
        x, total, x.stride(0), n, BLOCK=triton.next_power_of_2(n), NUM_TILES=m
    )
    return total
