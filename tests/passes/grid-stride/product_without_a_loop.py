# verify: always
# options: programs=2
"""The one loop around a matrix product is not to be pipelined."""

import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    rows = tl.arange(0, BLOCK)
    offs = rows[:, None] * BLOCK + rows[None, :]
    x = tl.load(x_ptr + batch * BLOCK * BLOCK + offs)
    tl.store(out_ptr + batch * BLOCK * BLOCK + offs, tl.dot(x, x))


# tritonopt: x: f32[b, 16, 16]
def square(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    b = x.shape[0]
    square_kernel[(b,)](x, out, BLOCK=16, num_stages=4)
    return out
