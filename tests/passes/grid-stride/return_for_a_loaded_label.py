# options: programs=2
"""What a tile loads decides whether it is done early; a name is of another type behind it."""

import torch
import triton
import triton.language as tl


@triton.jit
def loss_kernel(x_ptr, label_ptr, loss_ptr, grad_ptr, N, ignored, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    label_ptr += row
    label = tl.load(label_ptr)
    x_ptr += row * N
    if label == ignored:
        size = 0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            tl.store(grad_ptr + row * N + cols, size, mask=cols < N)
        loss_ptr += row
        tl.store(loss_ptr, -1.0)
        return
    total = 0.0
    size = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        size += x * x
        total += tl.sum(x, axis=0)
        tl.store(grad_ptr + row * N + cols, x * label, mask=cols < N)
    loss_ptr += row
    tl.store(loss_ptr, total + tl.sum(size, axis=0))


# tritonopt: x: f32[m, n], label: i32[m] in 0..3
def loss(x: torch.Tensor, label: torch.Tensor):
    x, label = x.contiguous(), label.contiguous()
    m, n = x.shape
    out = torch.zeros(m, device=x.device)
    grad = torch.zeros_like(x)
    loss_kernel[(m,)](x, label, out, grad, n, 1, BLOCK=16)
    return out, grad
