"""A chain of conditions becomes a chain of copies, as far as they do not change."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, mode, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    if mode == 0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            acc += x
    # Only the first row.
    elif row == 0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            acc += x * 2.0
    else:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            # From here on the tile decides.
            if start == 0:
                acc = x
            else:
                acc -= x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
