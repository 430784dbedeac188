# options: elements=64
"""Comments stay on their lines."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    """Each row without its sum."""

    # Of many.
    row = tl.program_id(0)  # the row
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + row * stride + cols,  # where it is
        mask=cols < N,  # up to its end
        other=0.0,
    )
    y = (
        x  # what it is
        - tl.sum(x)  # without what it comes to
    )
    # and back
    tl.store(Y + row * stride + cols, y, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
