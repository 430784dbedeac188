# options: block=32
"""All iterations store one value: whichever is the last does not matter."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Ends, Expert, block_size: tl.constexpr):
    SCALAR_BLOCK: tl.constexpr = 32
    pid = tl.program_id(0)
    start_idx = tl.load(Ends + pid)
    end_idx = tl.load(Ends + pid + 1)
    for start in range(start_idx, end_idx, block_size * SCALAR_BLOCK):
        i = start + block_size * tl.arange(0, SCALAR_BLOCK)
        mask = i < end_idx
        tl.store(Expert + i // block_size, pid, mask=mask)


# tritonopt: counts: i32[n] in 0..90
def run(counts: torch.Tensor):
    n = counts.numel()
    ends = torch.zeros(n + 1, dtype=torch.int32, device=counts.device)
    ends[1:] = torch.cumsum(counts * 4, 0)
    expert = torch.zeros(int(ends[-1]) // 4 + 1, dtype=torch.int32, device=counts.device)
    kernel[(n,)](ends, expert, block_size=4)
    return expert
