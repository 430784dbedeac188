"""The second kernel is passed the strides of the buffer."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.atomic_add(P + cols, x * x, mask=mask, sem="relaxed")


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.zeros(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
