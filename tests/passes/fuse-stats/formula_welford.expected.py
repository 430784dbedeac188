# verify: always
# options: formula=welford
"""Welford on request: every block has a mean and a sum of squared deviations of its own, and the
pairs are merged as the sweep goes. Each block counts its valid lanes only."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # Each tile is centered on its own mean; differences of means are added separately.
    running_count = 0.0
    running_mean = 0.0
    between_tiles = 0.0
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
        value = x.to(tl.float32)
        tile_count = tl.sum(tl.where(cols < N, tl.zeros_like(value) + 1.0, 0.0), axis=0)
        tile_mean = tl.sum(value, axis=0) / tl.maximum(tile_count, 1.0)
        centered = tl.where(cols < N, value - tile_mean, 0.0)
        acc2 += centered * centered
        delta = tile_mean - running_mean
        total_count = running_count + tile_count
        weight = tile_count / tl.maximum(total_count, 1.0)
        between_tiles += delta * weight * (delta * running_count)
        running_mean += delta * weight
        running_count = total_count
    mean = tl.sum(acc, axis=0) / N
    m2 = tl.sum(acc2, axis=0) + between_tiles
    tl.store(Mean + row, mean)
    tl.store(Var + row, m2 / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    var_kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
