# options: programs=4,turns=1
# verify: always
"""A constexpr stands before parameters that the second kernel takes by their places elsewhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, eps, TIMES: tl.constexpr, scale):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    total = tl.sum(acc, axis=0) * scale * TIMES + eps
    tl.store(Y + row, total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](scale=0.5, X=x, Y=y, N=n, BLOCK=16, eps=1e-6, TIMES=2)
    return y
