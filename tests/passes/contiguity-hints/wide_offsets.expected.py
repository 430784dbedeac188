"""Cast to 64 bits after the wrap, added to a row's pointer that is moved on; tl under another name."""

import torch
import triton
import triton.language as T
from triton.language import constexpr


@triton.jit
def roll_kernel(x_ptr, y_ptr, stride, n, B: constexpr):
    row = T.program_id(0).to(T.int64)
    x_ptr += row * stride
    at = T.program_id(1) * B + T.arange(0, B)
    source = (T.max_contiguous(T.multiple_of((at + B) % n, B), B)).to(T.int64)
    T.store(y_ptr + row * stride + at, T.load(x_ptr + source))


# tritonopt: x: f32[m, n]
def rolled(x: torch.Tensor):
    x = x[:, :3].repeat(1, 16)
    m = x.shape[0]
    n = x.shape[1] // 16 * 16
    y = torch.empty_like(x)
    roll_kernel[(m, n // 16)](x, y, x.stride(0), n, B=16)
    return y
