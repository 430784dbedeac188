# expect: missed memory-order
"""The program takes a lock between the sweeps and releases it at the end, as in the backward pass
of the tutorial."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Lock, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
    tl.atomic_xchg(Lock, 0)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    lock = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, lock, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
