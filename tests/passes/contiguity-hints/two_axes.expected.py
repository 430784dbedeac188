# verify: always
"""The wrapped value is a tile of its own: one value for each axis."""

import torch
import triton
import triton.language as tl


@triton.jit
def repeat_rows(X, Y, W, H, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)
    cols = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)
    tile = (rows[:, None] * W + cols[None, :]) % (H * W)
    # True if H * W is a multiple of BLOCK_W.
    tile = tl.max_contiguous(tl.multiple_of(tile, [1, BLOCK_W]), [1, BLOCK_W])
    x = tl.load(X + tile)
    tl.store(Y + rows[:, None] * W + cols[None, :], x, mask=cols[None, :] < W)


# tritonopt: x: f32[m, n]
def repeated(x: torch.Tensor):
    x = x[:, :2].repeat(1, 16)
    h, w = x.shape[0], 16 * (x.shape[1] // 16)
    rows = triton.cdiv(2 * h, 4) * 4
    y = torch.empty((rows, w), dtype=x.dtype, device=x.device)
    repeat_rows[(rows // 4, w // 16)](x, y, w, h, BLOCK_H=4, BLOCK_W=16)
    return y
