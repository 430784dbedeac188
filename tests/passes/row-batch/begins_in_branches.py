"""What a loop carries begins in two branches, with an axis for the rows in both."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if FLAG:
        total = tl.zeros([BLOCK], dtype=tl.float32)
    else:
        total = tl.full([BLOCK], 1.0, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total))


# tritonopt: x: f32[m, n], flag: bool
def run(x: torch.Tensor, flag: bool):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, FLAG=flag, BLOCK=16)
    return y
