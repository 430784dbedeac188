# expect: silent
"""The largest so far of the largest so far is itself."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in [32, 64]],
    key=["N"],
)
@triton.jit
def kernel(H, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    largest = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    for step in range(N):
        place = H + step * 1024 + cols
        largest = tl.maximum(largest, tl.load(place))
        tl.store(place, largest)
