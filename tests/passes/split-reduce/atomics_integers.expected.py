# options: turns=1
# options: combine=atomics
"""Sums of integers by atomics, into 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, SPLITS: tl.constexpr = 1):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.int32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0)
    if SPLITS > 1:
        tl.atomic_add(Y + row, tl.sum(acc, axis=0))
    else:
        tl.store(Y + row, tl.sum(acc, axis=0))


# tritonopt: x: i32[m, n]
def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    if splits > 1:
        y.fill_(0)
    kernel[(m, splits)](x, y, x.stride(0), n, BLOCK=64, SPLITS=splits)
    return y
