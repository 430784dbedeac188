"""The second sweep counts with another name, and has other names for its tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, P, Loss, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    P += row * stride

    largest = -float("inf")
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        larger = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(x - larger), axis=0)
        largest = larger
    lse = largest + tl.log(total)

    shown = lse * 2.0

    loss = 0.0
    for tile in range(0, N, BLOCK):
        places = tile + tl.arange(0, BLOCK)
        lanes = tl.load(X + places, mask=places < N, other=0.0).to(tl.float32)
        p = tl.load(P + places, mask=places < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - lanes) * p, axis=0)
    tl.store(Loss + row, loss + shown - shown)


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss
