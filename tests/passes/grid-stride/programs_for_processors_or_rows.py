"""The number of programs is that of rows as well, where there are few."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, share, BLOCK: tl.constexpr):
    first = tl.program_id(0) * share
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(first, min(first + share, n)):
        total += tl.load(x + row * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), total)


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    x = x.contiguous()
    m = x.shape[0]
    count = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
    if m < 100:
        count = x.shape[0] * 2
    out = torch.zeros((max(count, 1), 16), device=x.device)
    kernel[(count,)](x, out, m, triton.cdiv(m, max(count, 1)), BLOCK=16)
    return out.sum(dim=0)
