"""A tuple at the launch is divided there, by a number that the launcher names before it."""

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
    assert n_cols <= 256
    y = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), n_cols, BLOCK=BLOCK)
    return y
