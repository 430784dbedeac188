# verify: always
"""Both factors are 0 past the end of the row, so their product is. The mask goes on being used."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_dot_kernel(x_ptr, w_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    products = tl.where(mask, x * w, 0.0)  # only what is in the row
    tl.store(out_ptr + row, tl.sum(products, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def row_dot(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    row_dot_kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out
