# expect: missed value-is-not-known
"""What fuse-stats writes: deviations from a shift, which are -shift past the end of the row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, OUT, N, BLOCK: tl.constexpr):
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        deviation = tl.where(cols < N, x - shift, 0.0)
        squares += deviation * deviation
    m2 = tl.sum(squares, axis=0)
    m2 = tl.where(m2 < 0.0, 0.0, m2)
    tl.store(OUT, m2)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    out = torch.empty(1, device=x.device)
    kernel[(1,)](x, out, x.numel(), BLOCK=16)
    return out
