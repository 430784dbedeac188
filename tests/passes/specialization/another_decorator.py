# expect: silent
"""A decorator that is not known keeps the tile that is the default, of a lane for each thread."""

import torch
import triton
import triton.language as tl
from elsewhere import remember


@remember()
@triton.jit(do_not_specialize=["N"])
def double(X, Y, N, BLOCK: tl.constexpr = 128):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2.0, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    double[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y
