# verify: always
# options: block=16
"""A running sum of integers, in place."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Counts, num_experts):
    pid = tl.program_id(0)
    last_cnt = 0
    for i in range(1, num_experts + 1):
        token_cnt = tl.load(Counts + i * num_experts + pid)
        last_cnt = last_cnt + token_cnt
        tl.store(Counts + i * num_experts + pid, last_cnt)


# tritonopt: counts: i32[n + 1, n] in 0..9
def run(counts: torch.Tensor):
    n = counts.shape[1]
    counts = counts[: n + 1].contiguous()
    kernel[(n,)](counts, n)
    return counts
