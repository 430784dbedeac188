# expect: missed different-elements
"""The first sweep walks a block of pointers to the end of the row, and the second goes on from
there. The launcher pads the rows so that nothing is read outside."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    lane = tl.arange(0, BLOCK)
    ptrs = X + lane
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        x = tl.load(ptrs, mask=lane < N - start, other=0.0)
        acc += x
        ptrs += BLOCK
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        x = tl.load(ptrs, mask=lane < N - start, other=0.0)
        d = tl.where(lane < N - start, x - mean, 0.0)
        acc2 += d * d
        ptrs += BLOCK
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = torch.nn.functional.pad(x, (0, n + 64)).contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
