# verify: no, it has no launcher
"""The row is read three times, in three loops, and written in the last."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    row = X + tl.program_id(0) * N
    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(row + cols, mask=cols < N, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(row + cols, mask=cols < N, other=-float("inf"))
        total += tl.sum(tl.exp(x - largest), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(row + cols, mask=cols < N)
        tl.store(row + cols, tl.exp(x - largest) / total, mask=cols < N)
