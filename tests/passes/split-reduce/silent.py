import torch
import triton
import triton.language as tl


# case: programs_share_it
# expect: silent
"""Each program has a part of the loop already."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(tl.program_id(0) * BLOCK, N, tl.num_programs(0) * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + tl.program_id(0), tl.sum(acc, axis=0))


def reduced(x: torch.Tensor):
    y = torch.empty(8, dtype=torch.float32, device=x.device)
    kernel[(8,)](x, y, x.numel(), BLOCK=64)
    return y.sum()


# case: search
# expect: silent
"""A loop that stops once it has found something."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    start = 0
    total = 0.0
    while (start < N) & (total < 1.0):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0), axis=0)
        start += BLOCK
    tl.store(Y, total)


def reduced(x: torch.Tensor):
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y
