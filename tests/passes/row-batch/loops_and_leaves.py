# options: elements=64
"""Rows leave before and behind the two branches."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"SHORT": lambda args: args["rest"] + 1 <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, Kept, Wanted, stride, rest, BLOCK: tl.constexpr, SHORT: tl.constexpr):
    row = tl.program_id(0)
    if tl.load(Wanted + row) == 0:
        return
    if SHORT:
        cols = tl.arange(0, BLOCK)
        total = tl.sum(tl.load(X + row * stride + cols, mask=cols < rest + 1, other=0.0), axis=0)
    else:
        total = 0.0
        for start in range(0, rest + 1, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < rest + 1, other=0.0)
            total += tl.sum(x, axis=0)
    tl.store(Y + row, total)
    if total < 0.0:
        return
    tl.store(Kept + row, 1)


# tritonopt: x: f32[m, n], wanted: i32[m] in 0..2
def run(x: torch.Tensor, wanted: torch.Tensor):
    m, n = x.shape
    x, wanted = x.contiguous(), wanted.contiguous()
    y = torch.zeros(m, device=x.device)
    kept = torch.zeros(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, kept, wanted, x.stride(0), n - 1, BLOCK=16)
    return y, kept
