# expect: missed not-one-atomic
# options: turns=1
# options: combine=atomics
"""A tuner runs the kernel several times, and sets the output back to 0, which is no identity."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({}, num_warps=w) for w in (4, 8)], key=["N"], reset_to_zero=["Y"]
)
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        acc = tl.maximum(acc, x)
    tl.store(Y + row, tl.max(acc, axis=0))


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
