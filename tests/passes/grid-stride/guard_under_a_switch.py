# options: programs=2
"""The mask is moved where there is one, and what it says is asked once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, mask, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if mask is not None:
        mask += row
        keep = tl.load(mask)
        # Padding.
        if keep == 0:
            return
    x += row * N
    cols = tl.arange(0, BLOCK)
    if N == 1:
        tl.store(out + row, 1.0)
        return
    v = tl.load(x + cols, mask=cols < N, other=0.0)
    if tl.sum(v, axis=0) > 0:
        return  # positive
    x = x + 1
    tl.store(out + row, tl.sum(v, axis=0) + tl.load(x))


# tritonopt: x: f32[m, n], mask: i32[m] in 0..1
def run(x: torch.Tensor, mask: torch.Tensor):
    x, mask = x.contiguous(), mask.contiguous()
    m, n = x.shape
    out = torch.zeros((2, m), device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, mask, out[0], n, BLOCK=block)
    kernel[(m,)](x, None, out[1], n, BLOCK=block)
    return out
