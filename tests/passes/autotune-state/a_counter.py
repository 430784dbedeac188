# expect: silent
"""A counter of finished programs, which the last one puts back."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, PARTIAL, COUNT, Y, N, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * BLOCK + offsets)
    tl.store(PARTIAL + tl.program_id(0), tl.sum(x, axis=0))
    done = tl.atomic_add(COUNT, 1)
    if done == tl.num_programs(0) - 1:
        tl.store(Y, tl.sum(tl.load(PARTIAL + offsets), axis=0))
        tl.atomic_xchg(COUNT, 0)
