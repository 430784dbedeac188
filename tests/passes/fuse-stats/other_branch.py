# expect: unchanged
"""The sweeps stand in different branches of one `if`: a program runs one or the other, never
both."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Mean, Var, stride, N, given, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    mean = 0.0
    if row % 2 == 0:
        acc = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0)
            acc += x
        mean = tl.sum(acc, axis=0) / N
        tl.store(Mean + row, mean)
    else:
        mean = given
        acc2 = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0)
            d = tl.where(cols < N, x - mean, 0.0)
            acc2 += d * d
        tl.store(Var + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, 0.5, BLOCK=64)
    return var, mean
