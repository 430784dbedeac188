# options: turns=1
"""A nest of loops: the turns of the outer one are divided."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride_n, stride_c, N, HW, eps, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for n in range(N):
        for start in range(0, HW, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            place = X + n * stride_n + c * stride_c + cols
            total += tl.load(place, mask=cols < HW, other=0.0).to(tl.float32)
    tl.store(Y + c, tl.sum(total, axis=0) / (N * HW))


def means_of_channels(x: torch.Tensor):
    x = x.contiguous()
    n, c, hw = x.shape
    y = torch.empty(c, dtype=torch.float32, device=x.device)
    kernel[(c,)](x, y, x.stride(0), x.stride(1), n, hw, 0.0, BLOCK=32)
    return y
