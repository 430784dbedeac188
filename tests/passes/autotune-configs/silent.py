import torch
import triton
import triton.language as tl


# case: helper
# expect: silent
"""Nobody launches it."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


# case: tuned_already
# like: tile_and_warps
# expect: silent
"""It has a tuner."""
# import triton.language as tl
#
#
#+@triton.autotune(configs=[triton.Config({"BLOCK": 512})], key=["N"])
#-    row_sum[(m,)](x, y, n, BLOCK=1024)
#+    row_sum[(m,)](x, y, n)
