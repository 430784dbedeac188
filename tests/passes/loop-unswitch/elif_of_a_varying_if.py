# expect: missed under-a-condition
"""Only the second condition does not change, and it is asked only where the first does not hold."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if start == 0:
            x = x * 2.0
        elif flag > 0:
            x = x + 1.0
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)
