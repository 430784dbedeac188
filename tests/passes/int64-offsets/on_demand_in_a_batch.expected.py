# verify: no, with tensors of 1 GB alone the cast is run
# options: constexpr=true
"""Of two products one does not fit."""

import torch
import triton
import triton.language as tl


@triton.heuristics(
    {
        "INT64": lambda args: any(
            args[name].untyped_storage().nbytes() >= 2**30 for name in ("X", "Y")
        )
    }
)
@triton.jit
def kernel(X, Y, stride_b, stride_m, N, BLOCK: tl.constexpr, INT64: tl.constexpr):
    batch = tl.program_id(0)
    if INT64:
        batch = batch.to(tl.int64)
    row = tl.program_id(1)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        offsets = batch * stride_b + row * stride_m + cols
        x = tl.load(X + offsets, mask=cols < N, other=0.0)
        tl.store(Y + offsets, x * 2, mask=cols < N)


def launch(x):
    b, m, n = x.shape
    y = torch.empty_like(x)
    kernel[(b, m)](x, y, x.stride(0), x.stride(1), n, BLOCK=1024)
    return y
