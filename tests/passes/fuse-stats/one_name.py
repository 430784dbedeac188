"""One name, `acc`, serves for both sums, `x` for everything loaded or derived, and `mean` starts
as a placeholder. Names mean nothing; which definition reaches a use does."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    mean = 0.0
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        x = off + tl.arange(0, BLOCK)
        x = tl.load(X + x, mask=x < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        x = tl.where(cols < N, x - mean, 0.0)
        acc += x * x
    acc = tl.sum(acc, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, acc)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
