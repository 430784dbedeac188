# expect: missed condition-is-not-plain
"""The condition reads memory, which it would then do where the loop does not run."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if tl.load(X + row) > 0.0:
            x = x * 2.0
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)
