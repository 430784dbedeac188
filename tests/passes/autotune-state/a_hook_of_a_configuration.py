# expect: silent
"""Each configuration has a hook."""

import triton
import triton.language as tl


def configurations():
    def reset(arguments):
        arguments["P"].zero_()

    return [triton.Config({"BLOCK": block}, pre_hook=reset) for block in (256, 1024)]


@triton.autotune(configs=configurations(), key=["N"])
@triton.jit
def kernel(P, G, lr, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    p = tl.load(P + offsets, mask=mask)
    g = tl.load(G + offsets, mask=mask)
    tl.store(P + offsets, p - lr * g, mask=mask)
