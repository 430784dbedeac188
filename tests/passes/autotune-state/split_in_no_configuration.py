# expect: silent
"""No configuration comes to the atomic."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"SPLIT": 1}, num_warps=4), triton.Config({"SPLIT": 1}, num_warps=8)],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, SPLIT: tl.constexpr):
    offsets = tl.arange(0, 64)
    total = tl.zeros([64], dtype=tl.float32)
    for k in range(tl.program_id(0), N, SPLIT):
        total += tl.load(X + k * 64 + offsets)
    if SPLIT == 1:
        tl.store(Y + offsets, total)
    else:
        tl.atomic_add(Y + offsets, total)
