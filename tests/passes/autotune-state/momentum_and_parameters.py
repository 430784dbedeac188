# verify: no, it has no launcher
"""The parameters are read after something else was stored, and are restored by nobody."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    restore_value=["M"],
)
@triton.jit
def kernel(P, G, M, lr, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    m = tl.load(M + offsets, mask=mask) * 0.9 + tl.load(G + offsets, mask=mask)
    tl.store(M + offsets, m, mask=mask)
    p = tl.load(P + offsets, mask=mask)
    tl.store(P + offsets, p - lr * m, mask=mask)
