# verify: no, it has no launcher
"""Something else is stored as well, and the other buffer is reset. The old sum is not used."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    reset_to_zero=["Y"],
)
@triton.jit
def kernel(X, Y, S, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, tl.exp(x), mask=offsets < N)
    _ = tl.atomic_add(S, tl.sum(x, axis=0))
