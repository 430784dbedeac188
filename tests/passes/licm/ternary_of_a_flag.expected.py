"""One side changes with the row and stays; the other is read once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, BY_ROW: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    if not BY_ROW:
        # Without iterations of the loop below, nothing is loaded.
        b = tl.load(B, mask=tl.program_id(0) < m)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        g = tl.load(B + row) if BY_ROW else b
        x *= g
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[m], by_row: bool
def run(x, b, by_row):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, BY_ROW=by_row, BLOCK=triton.next_power_of_2(n))
    return out
