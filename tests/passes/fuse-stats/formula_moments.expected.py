# verify: counterexample, it loses digits when the mean is large
# options: formula=moments
"""The textbook formula on request: the sums of x and of x * x in one sweep, from which
E[x^2] - mean^2. It loses digits when the mean is large against the deviation, which the remark says."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Sum and squares in one loop: sum (x - mean)^2 = sum x^2 - (sum x)^2 / n.
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
        value = x.to(tl.float32)
        acc2 += value * value
    mean = tl.sum(acc, axis=0) / N
    m2 = tl.sum(acc2, axis=0) - tl.sum(acc, axis=0) * (tl.sum(acc, axis=0) / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    tl.store(Mean + row, mean)
    tl.store(Var + row, m2 / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    var_kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
