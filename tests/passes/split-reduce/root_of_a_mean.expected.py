# options: turns=1
"""What is done with a sum need not be linear."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X, Y, stride, N, eps, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1
):
    """Root of the mean square of each row."""
    row = tl.program_id(0)
    squares = 0.0
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += tl.sum(x * x, axis=0)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partials + part, squares)
        return
    tl.store(Y + row, tl.sqrt(squares / N + eps))


@triton.jit
def kernel_final(partials, Y, N, eps, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    squares = tl.load(partials + parts)
    squares = tl.sum(squares, axis=0)
    tl.store(Y + row, tl.sqrt(squares / N + eps))


def reduced(x: torch.Tensor, eps: float = 1e-6):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x, y, x.stride(0), n, eps, BLOCK=64, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, y, n, eps, SPLITS=splits)
    return y
