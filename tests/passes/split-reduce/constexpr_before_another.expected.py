# options: programs=4,turns=1
# verify: always
"""A constexpr stands before parameters that the second kernel takes by their places elsewhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    N,
    BLOCK: tl.constexpr,
    eps,
    TIMES: tl.constexpr,
    scale,
    partials=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partials + part, tl.sum(acc, axis=0))
        return
    total = tl.sum(acc, axis=0) * scale * TIMES + eps
    tl.store(Y + row, total)


@triton.jit
def kernel_final(partials, Y, eps, TIMES: tl.constexpr, scale, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts)
    total = tl.sum(acc, axis=0) * scale * TIMES + eps
    tl.store(Y + row, total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, 4 // max(1, m), triton.cdiv(n, 16))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        scale=0.5, X=x, Y=y, N=n, BLOCK=16, eps=1e-6, TIMES=2, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, y, 1e-6, TIMES=2, scale=0.5, SPLITS=splits)
    return y
