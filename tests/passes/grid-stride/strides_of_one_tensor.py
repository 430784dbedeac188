"""One tensor under two names has the same strides, so each program goes to its own row."""

import torch
import triton
import triton.language as tl


@triton.jit
def halve_kernel(src, src_stride, dst, dst_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(src + row * src_stride + cols, mask=cols < n, other=0.0)
    tl.store(dst + row * dst_stride + cols, x * 0.5, mask=cols < n)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    out = x
    block = triton.next_power_of_2(n)
    halve_kernel[(m,)](x, x.stride(0), out, out.stride(0), n, BLOCK=block)
    return out
