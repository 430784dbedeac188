# options: programs=2
"""What a tile loads decides whether it is done early; a name is of another type behind it."""

import torch
import triton
import triton.language as tl


@triton.jit
def loss_kernel(
    x_ptr, label_ptr, loss_ptr, grad_ptr, N, ignored, BLOCK: tl.constexpr, NUM_TILES=None
):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        loss_ptr_tile = loss_ptr
        row = tl.cast(tile, tl.int64)
        label_ptr_tile = label_ptr + row
        label = tl.load(label_ptr_tile)
        x_ptr_tile = x_ptr + row * N
        if label == ignored:
            size_2 = 0
            for start in range(0, N, BLOCK):
                cols = start + tl.arange(0, BLOCK)
                tl.store(grad_ptr + row * N + cols, size_2, mask=cols < N)
            loss_ptr_tile += row
            tl.store(loss_ptr_tile, -1.0)
        else:
            total = 0.0
            size = tl.zeros([BLOCK], dtype=tl.float32)
            for start in range(0, N, BLOCK):
                cols = start + tl.arange(0, BLOCK)
                x = tl.load(x_ptr_tile + cols, mask=cols < N, other=0.0)
                size += x * x
                total += tl.sum(x, axis=0)
                tl.store(grad_ptr + row * N + cols, x * label, mask=cols < N)
            loss_ptr_tile += row
            tl.store(loss_ptr_tile, total + tl.sum(size, axis=0))


# tritonopt: x: f32[m, n], label: i32[m] in 0..3
def loss(x: torch.Tensor, label: torch.Tensor):
    x, label = x.contiguous(), label.contiguous()
    m, n = x.shape
    out = torch.zeros(m, device=x.device)
    grad = torch.zeros_like(x)
    loss_kernel[(min(m, 2),)](x, label, out, grad, n, 1, BLOCK=16, NUM_TILES=m)
    return out, grad
