"""Each column of the tile has a number of its own, and a maximum for each lane."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, P, Loss, C, D, smoothing, BLOCK_C: tl.constexpr, BLOCK_D: tl.constexpr):
    image = tl.program_id(1)
    d = tl.program_id(0) * BLOCK_D + tl.arange(0, BLOCK_D)
    top = tl.zeros([BLOCK_C, BLOCK_D], dtype=tl.float32)
    total = tl.zeros([BLOCK_C, BLOCK_D], dtype=tl.float32)
    _loss = tl.zeros([BLOCK_C, BLOCK_D], dtype=tl.float32)
    # The factor of (log_total + largest - reference), which is known after the loop.
    _weight_sum = tl.zeros([BLOCK_C, BLOCK_D], dtype=tl.float32)
    reference = tl.zeros_like(top)
    for start in range(0, C, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        mask = (c[:, None] < C) & (d[None, :] < D)
        places = image * C * D + c[:, None] * D + d[None, :]
        x = tl.load(X + places, mask, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, x)
        total = total * tl.exp(top - higher) + tl.exp(x - higher)
        top = higher
        x = tl.where(mask, x, 0.0)
        p = tl.load(P + places, mask, other=0.0).to(tl.float32)
        p = p * (1.0 - smoothing) + smoothing / C
        _loss += (top - reference) * _weight_sum
        reference = top
        _loss += (reference - x) * p * (c < C)[:, None]
        _weight_sum += p * (c < C)[:, None]
    largest = tl.max(top, axis=0)[None, :]
    log_total = tl.log(tl.sum(total * tl.exp(top - largest), axis=0))[None, :]
    _loss += tl.where(C > 0, (log_total + largest - reference) * _weight_sum, 0.0)
    tl.store(Loss + image * D + d, tl.sum(_loss, axis=0), mask=d < D)


# tritonopt: x: f32[m, n, k], p: f32[m, n, k], smoothing: 0.1
def run(x: torch.Tensor, p: torch.Tensor, smoothing: float):
    m, n, k = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, k, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(k, 8), m)](x, p, loss, n, k, smoothing, BLOCK_C=8, BLOCK_D=8)
    return loss
