"""Without an else, one copy does without the statements of the branch, and without the comments on
it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    if flag:
        for start in tl.range(0, n, BLOCK, num_stages=2):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(
                X + row * n + cols,
                mask=cols < n,  # the last tile is short
                other=0.0,
            )
            # Negative values count as nothing.
            x = tl.where(x > 0.0, x, 0.0)
            # So the sum is one of what is left.
            acc += x
            # The end of the tile.
    else:
        for start in tl.range(0, n, BLOCK, num_stages=2):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(
                X + row * n + cols,
                mask=cols < n,  # the last tile is short
                other=0.0,
            )
            acc += x
            # The end of the tile.
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
