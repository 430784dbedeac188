# expect: missed tiles-race
# options: unseen_launches=keep
"""Nobody is seen to launch it, and each row reads the one above."""

import triton
import triton.language as tl


@triton.jit
def smooth_kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    above = tl.load(X + (row - 1) * stride + cols, mask=(row > 0) & (cols < N), other=0.0)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, (above + x) / 2, mask=cols < N)
