"""Changes its argument and returns nothing; what it takes stands in a comment."""

import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, s_ptr, m, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * 4 + tl.arange(0, 4)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < m) & (cols < n)
    x = tl.load(x_ptr + rows * n + cols, mask=mask, other=0.0)
    total = tl.sum(x, axis=1)[:, None]
    tl.store(x_ptr + rows * n + cols, x / (1.0 + total * total), mask=mask)
    tl.store(s_ptr + rows, total, mask=rows < m)


# tritonopt: x: f32[m, n], totals: f32[m]
def scale_(x, totals):
    m, n = x.shape
    block = triton.next_power_of_2(n)
    scale_kernel[(triton.cdiv(m, 4),)](x, totals, m, n, BLOCK=block)
