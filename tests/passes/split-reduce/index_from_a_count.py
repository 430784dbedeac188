# expect: missed not-a-recurrence
"""The index comes from a count that is stored too: each part would begin the count at 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = -float("inf")
    best = 0
    count = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new, place = tl.max(x, axis=0, return_indices=True)
        best = tl.where(new > top, count + place, best)
        top = tl.maximum(top, new)
        count += 64
    tl.store(Y + 2 * row, best)
    tl.store(Y + 2 * row + 1, count)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, 2, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
