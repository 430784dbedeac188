# verify: always
"""The loads are in a helper of the file, and another helper clears what it has loaded itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def load_row(ptr, cols, n):
    return tl.load(ptr + cols, mask=cols < n, other=0.0).to(tl.float32)


@triton.jit
def load_squares(ptr, cols, mask):
    x = tl.load(ptr + cols, mask=mask, other=0.0).to(tl.float32)
    return x * x


@triton.jit
def kernel(x_ptr, w_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = load_row(x_ptr + row * n, cols, n)
    w = load_row(w_ptr, cols, n)
    xw = x * w
    squares = load_squares(x_ptr + row * n, cols, cols < n)
    tl.store(out_ptr + row, tl.sum(xw, axis=0) + tl.sum(squares, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out
