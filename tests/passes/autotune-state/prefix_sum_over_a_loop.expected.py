# verify: no, it has no launcher
"""Each element becomes the sum of those before and itself, with an unknown decay."""

import torch
import triton
import triton.language as tl
from elsewhere import exp


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in [32, 64]],
    key=["N"],
    restore_value=["H"],
)
@triton.jit
def kernel(H, G, N, BLOCK: tl.constexpr, DECAYS: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for step in range(N):
        place = H + step * 1024 + cols
        total += tl.load(place).to(tl.float32)
        if step > 0:
            tl.store(place, total)
        if DECAYS:
            total *= exp(tl.load(G + step))
