# expect: silent
"""The launch passes one tensor for both, and the kernel has set it to 0 before it adds."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, S, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, 0.0, mask=cols < N)
    tl.atomic_add(S + cols, x, mask=cols < N)


def run(x):
    y = x.clone()
    kernel[(1,)](x, y, y, x.numel())
    return y
