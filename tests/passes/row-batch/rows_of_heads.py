# options: elements=64
"""A row is one of a head, by division; the parameters say how many rows there are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, S, Y, B, H, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    head = pid % H
    batch = pid // H
    scale = tl.load(S + head)
    cols = tl.arange(0, BLOCK)
    offsets = batch * H * N + head * N + cols
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    tl.store(Y + offsets, x * scale / tl.max(tl.abs(x)), mask=cols < N)


# tritonopt: x: f32[b, h, n], s: f32[h]
def scaled(x: torch.Tensor, s: torch.Tensor):
    b, h, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty_like(x)
    kernel[(b * h,)](x, s, y, b, h, n, BLOCK=triton.next_power_of_2(n))
    return y
