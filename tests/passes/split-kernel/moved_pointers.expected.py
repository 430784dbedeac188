"""Pointers move, each in the part that needs it."""

import torch
import triton
import triton.language as tl


@triton.jit
def backward(DY, W, DX, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    DY += row * stride
    DX += row * stride
    # What comes in.
    dy = tl.load(DY + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)

    # The gradient of the row.
    scale = tl.sum(w * dy, axis=0) / N
    tl.store(DX + cols, w * dy - scale, mask=mask)


@triton.jit
def backward_sums(X, DY, DW, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    X += row * stride
    DY += row * stride
    # What comes in.
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0.0).to(tl.float32)

    # The gradient of the weights.
    tl.atomic_add(DW + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](dy, w, dx, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    backward_sums[(m,)](x, dy, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw
