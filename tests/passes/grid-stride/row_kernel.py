# options: programs=3
"""A row to a program: pointers are bound again, and the weights belong to no row."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(X, Y, W, stride, N, eps, BLOCK: tl.constexpr):
    """Divides a row by its root mean square."""
    # One row to a program.
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride

    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    mean_square = tl.sum(x * x, axis=0) / N
    # The weights are those of all rows.
    w = tl.load(W + cols, mask=mask, other=0.0)  # read once
    tl.store(Y + cols, x * tl.rsqrt(mean_square + eps) * w, mask=mask)


def rms_norm(x: torch.Tensor, w: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    rms_norm_kernel[(m,)](x, y, w, x.stride(0), n, 1e-6, BLOCK=triton.next_power_of_2(n))
    return y
