# verify: no, it has no launcher
"""The configurations are a list of the module, the arguments positional, heuristics between."""

import triton
import triton.language as tl


CONFIGS = [triton.Config({"BLOCK": block}) for block in (256, 1024)]


@triton.autotune(CONFIGS, ["N"])
@triton.heuristics({"EVEN": lambda args: args["N"] % 2 == 0})
@triton.jit
def kernel(P, G, lr, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    p = tl.load(P + offsets, mask=mask)
    g = tl.load(G + offsets, mask=mask)
    tl.store(P + offsets, p - lr * g, mask=mask)
