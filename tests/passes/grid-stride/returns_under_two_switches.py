# options: programs=2
"""Two conditions that the compiler decides, each around one that a tile is left for."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, label, out, n, ignored, HAS_LABEL: tl.constexpr, POSITIVE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    at = row * n + cols
    y = tl.load(x + at, mask=cols < n, other=0.0)
    if HAS_LABEL:
        if tl.load(label + row) == ignored:
            return
    if POSITIVE:
        least = tl.min(y, axis=0)
        if least < 0:
            tl.store(out + at, least, mask=cols < n)
            return
    tl.store(out + at, y * 2, mask=cols < n)


# tritonopt: x: f32[m, n], label: i32[m] in 0..2
def run(x: torch.Tensor, label: torch.Tensor, ignored: int = 1):
    x, label = x.contiguous(), label.contiguous()
    m, n = x.shape
    out = torch.zeros((4, m, n), device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, label, out[0], n, ignored, False, False, BLOCK=block)
    kernel[(m,)](x, label, out[1], n, ignored, True, False, BLOCK=block)
    kernel[(m,)](x, label, out[2], n, ignored, False, True, BLOCK=block)
    kernel[(m,)](x, label, out[3], n, ignored, True, True, BLOCK=block)
    return out
