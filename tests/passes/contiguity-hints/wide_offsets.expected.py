"""Cast to 64 bits after the wrap, added to a row's pointer that is moved on; tl under another name."""

import torch
import triton
import triton.language as lang


@triton.jit
def roll_kernel(x_ptr, y_ptr, stride, n, B: lang.constexpr):
    row = lang.program_id(0).to(lang.int64)
    x_ptr += row * stride
    at = lang.program_id(1) * B + lang.arange(0, B)
    source = (lang.max_contiguous(lang.multiple_of((at + B) % n, B), B)).to(lang.int64)
    lang.store(y_ptr + row * stride + at, lang.load(x_ptr + source))


# tritonopt: x: f32[m, n]
def rolled(x: torch.Tensor):
    x = x.repeat(1, 16)
    m = x.shape[0]
    n = x.shape[1] // 16 * 16
    y = torch.empty_like(x)
    roll_kernel[(m, n // 16)](x, y, x.stride(0), n, B=16)
    return y
