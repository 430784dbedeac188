# options: programs=2
# expect: missed name-is-bound-elsewhere
"""A name that an unrolled loop binds before the return is known after it, with its type."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, count, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    y = tl.load(x + row * n + cols, mask=cols < n)
    for power in tl.static_range(2):
        u = y + power
    tl.store(out + row * n + cols, u, mask=cols < n)
    if row == 1:
        tl.store(count + row, 7)
        return
    u = row + 2
    tl.store(count + row, u)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    count = torch.zeros(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, out, count, n, BLOCK=triton.next_power_of_2(n))
    return out, count
