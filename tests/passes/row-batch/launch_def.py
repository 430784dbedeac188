"""What a nested function computes is named before it; it reads the number that the launch passes."""

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
    n_cols = x.shape[-1]
    assert n_cols <= 256
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)

    def grid(meta):
        return (x.numel() // n_cols,)

    softmax_kernel[grid](x, y, n_cols, n_cols, BLOCK=block, num_warps=4)
    return y
