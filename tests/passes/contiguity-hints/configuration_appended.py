# expect: missed not-shown
"""The list of the tuner gets longer after it is bound."""

import torch
import triton
import triton.language as tl


CONFIGS = [triton.Config({"BLOCK": 64})]
CONFIGS.append(triton.Config({"BLOCK": 256}))


@triton.autotune(configs=CONFIGS, key=["N"])
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def run(x, n):
    y = torch.empty_like(x)
    assert n % 128 == 0
    kernel[(4,)](x, y, n)
    return y
