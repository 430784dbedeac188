# expect: missed tile-is-long
"""Every launch shows that a row has 4096 elements."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m]
def run(x):
    x = x[:, None].expand(-1, 4096).contiguous()
    y = torch.empty(x.shape[0], device=x.device)
    kernel[(x.shape[0],)](x, y, 4096, BLOCK=1024)
    return y
