"""One tensor under two names has the same strides, so each program goes to its own row."""

import torch
import triton
import triton.language as tl


@triton.jit
def halve_kernel(src, src_stride, dst, dst_stride, n, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        x = tl.load(src + row * src_stride + cols, mask=cols < n, other=0.0)
        tl.store(dst + row * dst_stride + cols, x * 0.5, mask=cols < n)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    out = x
    block = triton.next_power_of_2(n)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    halve_kernel[(min(m, num_programs),)](
        x, x.stride(0), out, out.stride(0), n, BLOCK=block, NUM_TILES=m
    )
    return out
