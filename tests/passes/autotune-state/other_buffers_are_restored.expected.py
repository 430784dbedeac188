# verify: no, it has no launcher
"""The buffer that is restored is another one."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    restore_value=["G", "P"],
)
@triton.jit
def kernel(P, G, lr, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    p = tl.load(P + offsets, mask=mask)
    g = tl.load(G + offsets, mask=mask)
    tl.store(P + offsets, p - lr * g, mask=mask)
