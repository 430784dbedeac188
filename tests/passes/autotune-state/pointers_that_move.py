# verify: no, it has no launcher
"""The pointer moves in a loop, the types change, the sum is written with +=."""

from triton import Config, autotune, jit
from triton import language as tl


@autotune(configs=[Config({"BLOCK": 256}), Config({"BLOCK": 1024})], key=["N"], warmup=25)
@jit
def kernel(P, G, stride, N, BLOCK: tl.constexpr):
    P += tl.program_id(0) * stride
    G += tl.program_id(0) * stride
    offsets = tl.arange(0, BLOCK)
    for start in range(0, N, BLOCK):
        mask = start + offsets < N
        p = tl.load(P + offsets, mask=mask).to(tl.float32)
        p += tl.load(G + offsets, mask=mask)
        tl.store(P + offsets, p.to(tl.float16), mask=mask)
        P += BLOCK
        G += BLOCK
