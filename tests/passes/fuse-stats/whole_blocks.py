# verify: always
# assume: N % BLOCK == 0
"""No masks at all: the user asserts that the rows are whole blocks, which makes the number of
elements N. The launcher sees to it."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(X, Out, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        acc += tl.load(X + start + tl.arange(0, BLOCK))
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        d = tl.load(X + start + tl.arange(0, BLOCK)) - mean
        acc2 += d * d
    tl.store(Out + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_of_whole_blocks(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    var_kernel[(m,)](x, out, x.stride(0), n // 16 * 16, BLOCK=16)
    return out
