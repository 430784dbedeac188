# expect: missed arguments-are-not-seen
"""What is compared is spread from a tuple."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    both = (tl.load(X + cols).to(tl.float32), 0.0)
    tl.store(Y + cols, tl.maximum(*both))
