# options: block=32
"""A running sum of what is rounded up, into another buffer."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Counts, Ends, Total, n, block_size: tl.constexpr):
    SCALAR_BLOCK: tl.constexpr = 32
    last_cumsum = 0
    for start in range(1, n + 1, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n + 1
        token_cnt = tl.load(Counts + i - 1, mask=mask)
        last_cumsum_added = tl.where(mask, tl.cdiv(token_cnt, block_size) * block_size, 0).to(tl.int32)
        last_cumsum_tile = last_cumsum + tl.cumsum(last_cumsum_added, axis=0)
        last_cumsum += tl.sum(last_cumsum_added, axis=0)
        tl.store(Ends + i, last_cumsum_tile, mask=mask)
    tl.store(Total, last_cumsum)


# tritonopt: counts: i32[n] in 0..9
def run(counts: torch.Tensor):
    n = counts.numel()
    ends = torch.zeros(n + 1, dtype=torch.int32, device=counts.device)
    total = torch.empty(1, dtype=torch.int32, device=counts.device)
    kernel[(1,)](counts, ends, total, n, block_size=4)
    return ends, total
