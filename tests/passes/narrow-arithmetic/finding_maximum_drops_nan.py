import torch
import triton
import triton.language as tl


# case: row_maximum
# expect: finding, maximum-drops-nan
"""`torch.amax` of a row with NaN is NaN."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    for i in range(0, N, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        best = tl.maximum(best, x)
    tl.store(Y + row, tl.max(best, axis=0))


# case: row_minimum_of_one_tile
# expect: finding, maximum-drops-nan
"""`tl.min` is no other."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N, other=float("inf"))
    tl.store(Y + tl.program_id(0), tl.min(x.to(tl.float32), axis=0))
