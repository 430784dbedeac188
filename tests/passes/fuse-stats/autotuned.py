# verify: always
"""Autotune and heuristics stand above the kernel, with decorators over several lines. They stay
byte for byte, and the block size is no parameter of the launch."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 64}, num_warps=4),  # the only one, so nothing is timed
    ],
    key=["N"],
)
@triton.heuristics(
    values={
        "EVEN": lambda args: args["N"] % args["BLOCK"] == 0,
    }
)
@triton.jit
def tuned_var(X, Out, stride, N, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + cols, mask=cols < N, other=0.0)
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        d = tl.where(cols < N, tl.load(X + cols, mask=cols < N, other=0.0) - mean, 0.0)
        acc2 += d * d
    tl.store(Out + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    tuned_var[(m,)](x, out, x.stride(0), n)
    return out
