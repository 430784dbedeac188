# verify: no, it has no launcher
"""The function makes two configurations."""

import torch
import triton
import triton.language as tl


def configurations():
    found = []
    for block in [128, 256]:
        found.append(triton.Config({"BLOCK": block}))
    return found


@triton.autotune(configs=configurations(), key=["N"])
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offs, mask=offs < N, other=0.0)
    tl.store(X + offs, x * 2, mask=offs < N)
