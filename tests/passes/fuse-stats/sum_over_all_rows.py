# expect: missed accumulator-starts-elsewhere
"""In a loop over rows the first accumulator is set to zero only once, before the loop: from the
second row on it starts with the rows before. The squares do start anew."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Mean, Var, M, N, stride, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x_row = X + row * stride
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(x_row + cols, mask=cols < N, other=0.0)
        mean = tl.sum(acc, axis=0) / N
        acc2 = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(x_row + cols, mask=cols < N, other=0.0)
            d = tl.where(cols < N, x - mean, 0.0)
            acc2 += d * d
        tl.store(Mean + row, mean)
        tl.store(Var + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(min(m, 2),)](x, mean, var, m, n, x.stride(0), BLOCK=64)
    return var, mean
