# verify: no, elif_chain is verified, and has one way more
"""One of two ways for every tile, chosen by an argument."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Every tile of the row.
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        # Squares weigh more.
        if flag > 0:  # as the caller wants it
            acc += x * x
        else:  # the plain sum
            acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
