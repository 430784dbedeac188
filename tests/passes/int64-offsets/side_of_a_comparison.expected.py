"""Each length takes one of two sides, and the offset is too large on both."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr = X + row * stride
    if WHOLE:
        cols = tl.arange(0, BLOCK)
        s = tl.sum(tl.load(x_ptr + cols, mask=cols < N, other=0.0), axis=0)
    else:
        s = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            s += tl.sum(tl.load(x_ptr + cols, mask=cols < N, other=0.0), axis=0)
    tl.store(Y + row, s)


def launch(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    y = torch.empty(m, device=x.device, dtype=torch.float32)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024, WHOLE=n <= 1024)
    return y
