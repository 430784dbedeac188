"""A histogram: hashed in 64 bits, counted by atomic additions of whole numbers."""

import torch
import triton
import triton.language as tl


@triton.jit
def bucket_kernel(key_ptr, count_ptr, n, BUCKETS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    key = tl.load(key_ptr + offsets, mask=mask, other=0)
    hashed = (key.to(tl.int64) * 1000000007) & (BUCKETS - 1)
    hashed ^= ((key.to(tl.int64) * 1000000007) >> 33) & (BUCKETS - 1)
    tl.atomic_add(count_ptr + hashed, 1, mask=mask)


# tritonopt: keys: i32[n]
def buckets(keys):
    count = torch.zeros(16, dtype=torch.int32, device=keys.device)
    n = keys.numel()
    bucket_kernel[(triton.cdiv(n, 32),)](keys, count, n, BUCKETS=16, BLOCK=32)
    return count
