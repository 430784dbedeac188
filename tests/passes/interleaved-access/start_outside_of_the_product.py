"""The start of the tile is doubled by itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = tl.arange(0, BLOCK)
        at = row * 2 * n + start * 2 + cols * 2
        even = tl.load(X + at, mask=start + cols < n, other=0.0)
        odd = tl.load(X + at + 1, mask=start + cols < n, other=0.0)
        tl.store(Y + row * n + start + cols, even - odd, mask=start + cols < n)


def run(x: torch.Tensor):
    m, n = x.shape[0], x.shape[1] // 2
    x = x[:, : 2 * n].contiguous()
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y
