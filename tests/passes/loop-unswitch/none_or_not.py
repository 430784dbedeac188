# expect: unchanged
"""Whether a pointer was passed is known to the compiler, in either way of asking; so is the type
of what it points to."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, W, B, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if W is not None:
            x *= tl.load(W + cols, mask=cols < n)
        if B:
            x += tl.load(B + cols, mask=cols < n)
        if X.dtype.element_ty == tl.float16:
            x = x.to(tl.float32)
        tl.store(Out + row * n + cols, x, mask=cols < n)
