# expect: silent
"""So many indices that 512 times as many elements are beyond 2**31, and 16 GB."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Slots, Y, stride, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    slot = tl.load(Slots + row).to(tl.int64)
    cols = tl.arange(0, WIDTH)
    x = tl.load(X + row * WIDTH + cols).to(tl.float32)
    tl.store(Y + slot * stride + cols, x * 2)


def scatter(x: torch.Tensor, slots: torch.Tensor, y: torch.Tensor) -> None:
    kernel[(slots.shape[0],)](x, slots, y, y.stride(0), WIDTH=512)
