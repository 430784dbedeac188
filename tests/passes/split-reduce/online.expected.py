# verify: always
# options: turns=1
"""A running maximum rescales the sums of an online softmax; it begins with a finite number."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    stride,
    N,
    BLOCK: tl.constexpr,
    partial_acc=None,
    partial_top=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    top = tl.full([BLOCK], -1e30, dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, x)
        acc = acc * tl.exp(top - new) + tl.exp(x - new)
        top = new
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_acc + part * BLOCK + tl.arange(0, BLOCK), acc)
        tl.store(partial_top + part * BLOCK + tl.arange(0, BLOCK), top)
        return
    tl.store(Y + row, tl.sum(acc * tl.exp(top - tl.max(top, axis=0)), axis=0))


@triton.jit
def kernel_final(partial_acc, partial_top, Y, BLOCK: tl.constexpr, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partial_acc + parts[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    top = tl.load(partial_top + parts[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    acc = tl.sum(acc * tl.exp(top - tl.max(top, axis=0)[None, :]), axis=0)
    top = tl.max(top, axis=0)
    tl.store(Y + row, tl.sum(acc * tl.exp(top - tl.max(top, axis=0)), axis=0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, 16384 // 64, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partial_acc = partial_top = None
    if splits > 1:
        partial_acc = torch.empty(m, splits, 64, dtype=torch.float32, device=x.device)
        partial_top = torch.empty(m, splits, 64, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x,
        y,
        x.stride(0),
        n,
        BLOCK=64,
        partial_acc=partial_acc,
        partial_top=partial_top,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m,)](partial_acc, partial_top, y, BLOCK=64, SPLITS=splits)
    return y
