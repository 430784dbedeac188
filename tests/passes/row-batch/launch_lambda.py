"""A lambda of the arguments reads the number that the launch passes; a tile is named once."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)


# tritonopt: x: f32[m, n]
def softmax(x):
    x = x.contiguous()
    n_rows, n_cols = x.shape
    if n_cols > 256:
        raise ValueError("rows of up to 256 elements")
    y = torch.empty_like(x)
    grid = lambda meta: (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return y
