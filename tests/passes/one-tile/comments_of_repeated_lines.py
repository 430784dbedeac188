"""What the second loop says again goes with what explains it; what heads the loop stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_rows(X, W, Y, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # The largest of the row.
    largest = 0.0
    # First loop.
    for start in range(0, n, BLOCK):
        # Where the tile is.
        cols = start + tl.arange(0, BLOCK)
        # Read it.
        x = tl.load(X + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.max(tl.abs(x), axis=0))

    # Second loop.
    for start in range(0, n, BLOCK):
        # Where the tile is, again.
        cols = start + tl.arange(0, BLOCK)
        # ---- Inputs ----
        # Both are read.
        x = tl.load(X + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=cols < n, other=0.0).to(tl.float32)
        # fmt: off
        tl.store(Y + row * stride + cols, x * w / largest, mask=cols < n)


def run(x: torch.Tensor, w: torch.Tensor):
    """
    x: f32[m, n]
    w: f32[n]
    """
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    scale_rows[(m,)](x, w, y, n, n, BLOCK=triton.next_power_of_2(n))
    return y
