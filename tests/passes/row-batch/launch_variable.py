"""A tuple that is bound before its tile length is bound after it; constexprs go by their places."""

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


# tritonopt: x: f32[b, m, n]
def softmax(x):
    x = x.contiguous()
    batch, seq, n_cols = x.shape
    assert n_cols <= 256
    y = torch.empty_like(x)
    grid = (batch * seq,)
    BLOCK = triton.next_power_of_2(n_cols)
    softmax_kernel[grid](x, y, x.stride(1), n_cols, BLOCK)
    return y
