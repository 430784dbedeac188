# expect: analysis hint-can-be-false
"""The tuner may choose blocks of 32, which do not start at multiples of 64."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["N"]
)
@triton.jit
def copy_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.multiple_of(tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 64)
    tl.store(Y + offs, tl.load(X + offs, mask=offs < N), mask=offs < N)


def copied(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    copy_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y
