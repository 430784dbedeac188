# expect: missed threads-exchange-data
"""A running sum of what is rounded up, into another buffer."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Counts, Ends, n, block_size: tl.constexpr):
    last_cumsum = 0
    for i in range(1, n + 1):
        token_cnt = tl.load(Counts + i - 1)
        last_cumsum = last_cumsum + tl.cdiv(token_cnt, block_size) * block_size
        tl.store(Ends + i, last_cumsum)
    tl.store(Ends, last_cumsum)


# tritonopt: counts: i32[n] in 0..9
def run(counts: torch.Tensor):
    n = counts.numel()
    ends = torch.zeros(n + 1, dtype=torch.int32, device=counts.device)
    kernel[(1,)](counts, ends, n, block_size=4)
    return ends
