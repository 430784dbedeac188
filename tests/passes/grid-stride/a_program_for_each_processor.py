# expect: missed grid-of-processors
"""Each program has as many rows as make one program for each multiprocessor."""

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
    count = 1
    if x.is_cuda:
        count = torch.cuda.get_device_properties(x.device).multi_processor_count
    out = torch.empty((count, 16), device=x.device)
    kernel[(count,)](x, out, m, triton.cdiv(m, count), BLOCK=16)
    return out.sum(dim=0)
